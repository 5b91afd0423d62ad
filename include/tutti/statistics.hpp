#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/detail/standard.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// What a member has spent on the calls of one collective.
struct MemberStatistics {
    std::uint64_t calls = 0; ///< how many: those that are complete
    /// Of the vectors that the collective is about, such as all blocks of an allgather; 0 where members may
    /// know their own blocks only: with counts of an all-to-all, counts at the root, or displacements.
    std::uint64_t bytes = 0;
    /// From when calls have found or made their plan until they return or fail, and what waits for requests
    /// took.
    std::chrono::nanoseconds time{0};
    /// Of that, for others.
    std::chrono::nanoseconds waited{0};
    /// How long after the first to arrive the member has come, on average over the calls compared.
    std::chrono::nanoseconds late{0};
};

/// The calls of one collective.
struct CollectiveStatistics {
    /// "allreduce".
    std::string_view collective;
    /// By rank.
    std::vector<MemberStatistics> members;
    /// Calls that block whose arrivals are known of all members: of the last ones, some thousand at most.
    std::uint64_t compared = 0;
    /// From the first to the last arrival of a call, on average.
    std::chrono::nanoseconds spread{0};
    /// The most of these.
    std::chrono::nanoseconds worst_spread{0};
};

/// Where the time of a group's calls goes, and who comes late to them.
struct TUTTI_API Statistics {
    /// Those that have been called.
    std::vector<CollectiveStatistics> collectives;

    /// In the text format of Prometheus, seconds and bytes, with `group` as a label of every sample.
    std::string prometheus(std::string_view group) const;
};

} // namespace tutti
