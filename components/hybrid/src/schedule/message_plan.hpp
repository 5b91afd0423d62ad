#pragma once

#include "plan/partition.hpp"
#include "schedule/schedule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
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

/// The bases of a call's memory: the spaces of a schedule, as if whole, then the landing of messages, and the
/// memory where messages of several pieces are put together.
inline constexpr std::size_t landing_base = schedule::space_count;
inline constexpr std::size_t outgoing_base = landing_base + 1;
using Bases = std::array<std::byte*, outgoing_base + 1>;

/// The actions of one process in a call among processes, one after the other: a rank schedule, with the
/// memory ranges of the blocks. A call like the one before follows it without looking at blocks again.
struct MessagePlan {
    struct Range {
        std::uint8_t base = 0;
        std::size_t offset = 0;

        std::byte* in(const Bases& bases) const { return bases[base] + offset; }
    };
    /// - send, receive: a piece of a message at `to`; starts the message, unless there are more pieces of it
    /// - wait: for all that was started
    /// - copy: from `left` to `to`
    /// - reduce: `left` and `right`, to `to`
    enum class Action : std::uint8_t { send, receive, wait, copy, reduce };
    struct Step {
        Action action = Action::wait;
        bool has_more = false;
        int peer = 0;
        std::size_t bytes = 0;
        Range to = {};
        Range left = {};
        Range right = {};
    };

    std::vector<Step> steps;
    std::size_t landing_bytes = 0;
    std::size_t outgoing_bytes = 0;
};

/// The elements of the vectors of a call, and their division.
struct Layout {
    plan::Partition partition;
    std::size_t element_bytes = 1;
    std::size_t element_align = 1;
    /// ProcessCall::member_bytes.
    std::size_t member_bytes = 0;
};

/// Makes `plan` that of a rank schedule whose vectors lie so. O(places of the rank schedule); keeps the
/// memory of `plan`.
void compile(MessagePlan& plan, const RankSchedule& rank_schedule, const Layout& layout);

} // namespace tutti::hybrid
