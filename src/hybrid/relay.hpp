#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>
#include <vector>

namespace tutti::hybrid {

/// What one process does in a schedule that is carried out by messages: in each round it sends what others
/// read of it, receives what it reads of others, and then makes its moves.
struct Relay {
    /// What goes to or comes from one process in a round: blocks of the sender's vectors, one message.
    struct Message {
        int peer = 0;
        std::vector<schedule::Place> places;
    };
    /// Where the operands of a move are: an index into the places that the round receives, or own_place.
    struct Move {
        schedule::Move move;
        int left = 0;
        int right = 0;
    };
    static constexpr int own_place = -1;

    struct Round {
        std::vector<Message> sends;
        std::vector<Message> receives;
        std::vector<Move> moves;
        /// Everything received is stored as it is, and nothing else is done.
        bool stores_only = false;
    };

    std::vector<Round> rounds;
    int blocks = 1;
    int scratch_vectors = 0;
    /// The most places in any message between any two processes.
    std::size_t most_places = 1;
};

/// The part of `rank`. O(ranks * moves of a member). \pre members write to their own vectors only, and read
/// from named ones: all schedules of the registry but those of `direct` and `flat`
Relay relay_of(const schedule::Schedule& schedule, int rank);

} // namespace tutti::hybrid
