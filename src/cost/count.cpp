#include "cost/count.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace tutti::cost {

using schedule::every;
using schedule::Move;
using schedule::Place;
using schedule::Round;
using schedule::Schedule;
using schedule::Space;
using schedule::Symmetry;
using schedule::wrap;

namespace {

void require_rank(const Schedule& schedule, int rank) {
    if (rank < 0 || rank >= schedule.ranks()) {
        throw std::invalid_argument("count: rank is " + std::to_string(rank) + ", must be in 0.." +
                                    std::to_string(schedule.ranks() - 1));
    }
}

/// One block that a member reads from or stores into the vector of another.
struct Message {
    int owner = 0;
    Space space = Space::input;
    int block = 0;
    bool stored = false;

    friend auto operator<=>(const Message&, const Message&) = default;
};

/// The messages of one member's round, each once.
std::vector<Message> messages(const Schedule& schedule, int actor, const Round& round) {
    std::vector<Message> found;
    const auto add = [&](const Place& place, bool stored) {
        const int first = place.member == every ? 0 : place.member;
        const int last = place.member == every ? schedule.ranks() - 1 : place.member;
        for (int owner = first; owner <= last; ++owner) {
            for (int i = 0; owner != actor && i < place.blocks.count; ++i) {
                found.push_back(
                    {owner, place.space, wrap(place.blocks.first + i, schedule.blocks()), stored});
            }
        }
    };
    for (const Move& move : round) {
        add(move.left, false);
        if (move.reduces && move.left.member != every) {
            add(move.right, false);
        }
        add(move.to, true);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// Messages received and sent by `rank`, and rounds with any. Under rotation every member's messages are the
/// representative's, so what it receives from all is what all receive from it.
struct Traffic {
    long rounds = 0;
    long received = 0;
    long sent = 0;
};

Traffic traffic(const Schedule& schedule, int rank) {
    require_rank(schedule, rank);
    const bool symmetric = schedule.symmetry() == Symmetry::rotation;
    Traffic traffic;
    for (int round = 0; round < schedule.rounds(); ++round) {
        bool any = false;
        for (int stored = 0; stored < static_cast<int>(schedule.programs().size()); ++stored) {
            const Round& moves =
                schedule.programs()[static_cast<std::size_t>(stored)][static_cast<std::size_t>(round)];
            for (const Message& message : messages(schedule, stored, moves)) {
                any = true;
                const int receiver = message.stored ? message.owner : stored;
                const int sender = message.stored ? stored : message.owner;
                traffic.received += symmetric || receiver == rank ? 1 : 0;
                traffic.sent += symmetric || sender == rank ? 1 : 0;
            }
        }
        traffic.rounds += any ? 1 : 0;
    }
    return traffic;
}

long reductions(const Schedule& schedule, int rank) {
    if (schedule.collective() == schedule::Collective::barrier) {
        return 0;
    }
    long combined = 0;
    for (const Round& round : schedule.programs()[schedule.representative(rank)]) {
        for (const Move& move : round) {
            const long each = !move.reduces ? 0 : move.left.member == every ? schedule.ranks() - 1 : 1;
            combined += each * move.to.blocks.count;
        }
    }
    return combined;
}

} // namespace

algorithm::Counts count(const Schedule& schedule, int rank) {
    const Traffic counted = traffic(schedule, rank);
    return {counted.rounds, counted.received, reductions(schedule, rank)};
}

long blocks_sent(const Schedule& schedule, int rank) {
    return traffic(schedule, rank).sent;
}

} // namespace tutti::cost
