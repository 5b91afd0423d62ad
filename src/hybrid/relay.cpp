#include "hybrid/relay.hpp"

#include <algorithm>
#include <map>

namespace tutti::hybrid {

using schedule::Place;
using schedule::Schedule;

namespace {

/// The places of other members that the moves of a round read, by member, in the order of the moves.
std::map<int, std::vector<Place>> reads_of(schedule::Round moves, int reader) {
    std::map<int, std::vector<Place>> reads;
    const auto add = [&](const Place& place) {
        if (place.member == reader) {
            return;
        }
        std::vector<Place>& places = reads[place.member];
        if (std::ranges::find(places, place) == places.end()) {
            places.push_back(place);
        }
    };
    for (const schedule::Move& move : moves) {
        add(move.left);
        if (move.has_right()) {
            add(move.right);
        }
    }
    return reads;
}

Relay::Round own_round(schedule::Round moves, int rank) {
    Relay::Round round;
    std::vector<Place> received;
    for (auto& [peer, places] : reads_of(moves, rank)) {
        received.insert(received.end(), places.begin(), places.end());
        round.receives.push_back({peer, std::move(places)});
    }
    const auto index = [&](const Place& place) {
        return place.member == rank ? Relay::own_place
                                    : static_cast<int>(std::ranges::find(received, place) - received.begin());
    };
    for (const schedule::Move& move : moves) {
        round.moves.push_back(
            {move, index(move.left), move.has_right() ? index(move.right) : Relay::own_place});
    }
    // Then every place received has one destination, in order.
    round.stores_only = round.moves.size() == received.size();
    for (std::size_t i = 0; round.stores_only && i < received.size(); ++i) {
        round.stores_only = !round.moves[i].move.reduces && round.moves[i].left == static_cast<int>(i);
    }
    return round;
}

} // namespace

Relay relay_of(const Schedule& schedule, int rank) {
    Relay relay;
    relay.blocks = schedule.blocks();
    relay.scratch_vectors = schedule.scratch_vectors();
    const schedule::Program own = schedule.program(rank);
    for (std::size_t round = 0; round < own.size(); ++round) {
        relay.rounds.push_back(own_round(own[round], rank));
    }
    for (int other = 0; other < schedule.ranks(); ++other) {
        const schedule::Program program = schedule.program(other);
        for (std::size_t round = 0; round < program.size(); ++round) {
            for (auto& [peer, places] : reads_of(program[round], other)) {
                relay.most_places = std::max(relay.most_places, places.size());
                if (peer == rank) {
                    relay.rounds[round].sends.push_back({other, std::move(places)});
                }
            }
        }
    }
    return relay;
}

} // namespace tutti::hybrid
