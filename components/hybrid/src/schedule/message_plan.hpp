#pragma once

#include "hybrid/src/schedule/rank_schedule.hpp"
#include "plan/partition.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::hybrid {

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
