#include "hybrid/src/schedule/transport.hpp"

namespace tutti::hybrid {

using schedule::Place;
using schedule::Schedule;
using schedule::Space;

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

RankSchedule::Round own_round(schedule::Round moves, int rank) {
    RankSchedule::Round round;
    std::vector<Place> received;
    for (auto& [peer, places] : reads_of(moves, rank)) {
        received.insert(received.end(), places.begin(), places.end());
        round.receives.push_back({peer, std::move(places)});
    }
    const auto index = [&](const Place& place) {
        return place.member == rank ? RankSchedule::own_place
                                    : static_cast<int>(std::ranges::find(received, place) - received.begin());
    };
    for (const schedule::Move& move : moves) {
        round.moves.push_back(
            {move, index(move.left), move.has_right() ? index(move.right) : RankSchedule::own_place});
    }
    return round;
}

bool overlap(const Place& a, const Place& b, int blocks) {
    const auto steps = [&](const Place& from, const Place& to) {
        return (to.blocks.first - from.blocks.first + blocks) % blocks;
    };
    return a.space == b.space && (steps(a, b) < a.blocks.count || steps(b, a) < b.blocks.count);
}

/// Whether every place received has one destination, in order, that the round neither sends nor does anything
/// else with.
bool only_stores_received(const RankSchedule::Round& round, int blocks) {
    std::vector<Place> stored;
    for (const RankSchedule::Move& move : round.moves) {
        if (move.is_own()) {
            continue;
        }
        if (move.move.reduces || move.left != static_cast<int>(stored.size())) {
            return false;
        }
        stored.push_back(move.move.to);
    }
    std::size_t received = 0;
    for (const RankSchedule::Message& message : round.receives) {
        received += message.places.size();
    }
    const auto is_stored = [&](const Place& place) {
        return std::ranges::any_of(stored, [&](const Place& to) { return overlap(place, to, blocks); });
    };
    const auto touches = [&](const RankSchedule::Move& move) {
        return move.is_own() && (is_stored(move.move.to) || is_stored(move.move.left) ||
                                 (move.move.has_right() && is_stored(move.move.right)));
    };
    const auto sends = [&](const RankSchedule::Message& message) {
        return std::ranges::any_of(message.places, is_stored);
    };
    return stored.size() == received && std::ranges::none_of(round.moves, touches) &&
           std::ranges::none_of(round.sends, sends);
}

/// Follows a rank schedule whose input and output are one vector, and finds reads that are too late.
class InPlace {
public:
    explicit InPlace(int blocks) : blocks_(blocks) {}

    bool allows(const RankSchedule::Round& round) {
        if (round.only_stores_received) { // messages are stored while others are still being sent
            std::ranges::for_each(round.moves, [this](const auto& move) { write(move.move.to); });
        }
        for (const RankSchedule::Message& message : round.sends) {
            if (std::ranges::any_of(message.places, [this](const Place& place) { return is_gone(place); })) {
                return false;
            }
        }
        return std::ranges::all_of(round.moves, [this](const auto& move) { return allows(move); });
    }

private:
    bool allows(const RankSchedule::Move& made) {
        const schedule::Move& move = made.move;
        const auto spoils = [&](const Place& operand) {
            return is_gone(operand) || (operand.space == Space::input && meet(operand, move.to) &&
                                        operand.blocks != move.to.blocks);
        };
        if ((made.left == RankSchedule::own_place && spoils(move.left)) ||
            (move.has_right() && made.right == RankSchedule::own_place && spoils(move.right))) {
            return false;
        }
        write(move.to);
        return true;
    }

    void write(const Place& to) {
        if (to.space == Space::output) {
            written_.push_back(to);
        }
    }
    bool is_gone(const Place& place) const {
        return place.space == Space::input &&
               std::ranges::any_of(written_, [&](const Place& to) { return meet(place, to); });
    }
    /// Whether they have blocks in common, in whichever spaces.
    bool meet(Place input, const Place& to) const {
        input.space = to.space;
        return overlap(input, to, blocks_);
    }

    int blocks_;
    std::vector<Place> written_;
};

} // namespace

RankSchedule rank_schedule_of(const Schedule& schedule, int rank) {
    RankSchedule rank_schedule;
    rank_schedule.blocks = schedule.blocks();
    rank_schedule.scratch_vectors = schedule.scratch_vectors();
    const schedule::Program own = schedule.program(rank);
    for (std::size_t round = 0; round < own.size(); ++round) {
        rank_schedule.rounds.push_back(own_round(own[round], rank));
    }
    for (int other = 0; other < schedule.ranks(); ++other) {
        const schedule::Program program = schedule.program(other);
        for (std::size_t round = 0; round < program.size(); ++round) {
            for (auto& [peer, places] : reads_of(program[round], other)) {
                if (peer == rank) {
                    rank_schedule.rounds[round].sends.push_back({other, std::move(places)});
                }
            }
        }
    }
    for (RankSchedule::Round& round : rank_schedule.rounds) {
        round.only_stores_received = only_stores_received(round, rank_schedule.blocks);
    }
    InPlace in_place(rank_schedule.blocks);
    rank_schedule.works_in_place =
        std::ranges::all_of(rank_schedule.rounds, [&](const auto& round) { return in_place.allows(round); });
    return rank_schedule;
}

RankSchedule one_hop_alltoall(int processes, int rank) {
    RankSchedule rank_schedule;
    rank_schedule.blocks = processes;
    const auto copy = [&](int from, const Place& source, int landed) {
        return RankSchedule::Move{
            {{rank, Space::output, {from, 1}}, source, {}, false, schedule::Prefix::none},
            landed,
            RankSchedule::own_place};
    };
    for (int distance = 1; distance < processes; ++distance) {
        const int to = (rank + distance) % processes;
        const int from = (rank + processes - distance) % processes;
        const Place source{from, Space::input, {rank, 1}};
        rank_schedule.rounds.push_back({.sends = {{to, {{rank, Space::input, {to, 1}}}}},
                                        .receives = {{from, {source}}},
                                        .moves = {copy(from, source, 0)},
                                        .only_stores_received = true});
    }
    rank_schedule.rounds.front().moves.push_back(
        copy(rank, {rank, Space::input, {rank, 1}}, RankSchedule::own_place));
    return rank_schedule;
}

} // namespace tutti::hybrid
