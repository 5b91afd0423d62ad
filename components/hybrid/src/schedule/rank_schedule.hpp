#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>
#include <vector>

namespace tutti::hybrid {

/// The actions of one process in a schedule that is carried out by messages: in each round it sends the
/// blocks that others read of it, receives those that it reads of others, and then makes its moves.
struct RankSchedule {
    /// A message to or from one process in a round: blocks of the sender's vectors.
    struct Message {
        int peer = 0;
        std::vector<schedule::Place> places;
    };
    /// A move and the places of its operands: an index into the places that the round receives, or own_place.
    struct Move {
        schedule::Move move;
        int left = 0;
        int right = 0;

        /// Whether it needs nothing that the round receives.
        bool is_own() const { return left == own_place && right == own_place; }
    };
    static constexpr int own_place = -1;

    struct Round {
        std::vector<Message> sends;
        std::vector<Message> receives;
        std::vector<Move> moves;
        /// Everything received is stored as it is, in order, at places that the round does not use otherwise.
        bool only_stores_received = false;
    };

    std::vector<Round> rounds;
    int blocks = 1;
    int scratch_vectors = 0;
    /// Input and output may be one vector: nothing reads a block of the input after its place has been
    /// written.
    bool works_in_place = false;
};

/// The part of `rank`. O(ranks * moves of a member). \pre members write to their own vectors only, and read
/// from named ones: algorithm::Reach::peers
RankSchedule rank_schedule_of(const schedule::Schedule& schedule, int rank);

/// An all-to-all in which every process sends to every other, block by block, whatever their sizes: as
/// one-hop schedules, which have blocks of one size only.
RankSchedule one_hop_alltoall(int processes, int rank);

} // namespace tutti::hybrid
