#pragma once

#include <tutti/detail/standard.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::v0_1 {

/// One member's calls of one collective.
struct MemberStatistics {
    std::uint64_t calls = 0; ///< number of complete calls
    /// Bytes of the collective's whole buffer, such as all blocks of an allgather. 0 if a member may know
    /// only its own blocks: in an all-to-all with counts, with counts at the root, or with displacements.
    std::uint64_t bytes = 0;
    /// Time from when a call has found or made its plan until it returns or fails, plus the time of waits for
    /// requests.
    std::chrono::nanoseconds time{0};
    /// The part of `time` spent waiting for other members.
    std::chrono::nanoseconds waited{0};
    /// How long this member arrived after the first member, on average over the compared calls.
    std::chrono::nanoseconds late{0};
};

/// All members' calls of one collective by one algorithm, added up.
struct AlgorithmStatistics {
    /// The name, such as "direct" (`tutti info --algorithms`).
    std::string_view algorithm;
    std::uint64_t calls = 0;          ///< number of complete calls: p if each of p members has made one
    std::chrono::nanoseconds time{0}; ///< MemberStatistics::time of these calls
};

/// All members' calls of one collective.
struct CollectiveStatistics {
    /// The name, such as "allreduce".
    std::string_view collective;
    /// One element per rank.
    std::vector<MemberStatistics> members;
    /// One element per algorithm that has run.
    std::vector<AlgorithmStatistics> algorithms;
    /// Number of blocking calls, among the last few thousand, for which the arrivals of all members are
    /// known.
    std::uint64_t compared = 0;
    /// Time from the first to the last arrival at a call, on average.
    std::chrono::nanoseconds spread{0};
    /// The largest time from the first to the last arrival.
    std::chrono::nanoseconds worst_spread{0};
};

/// How a group's calls spend their time, and which members arrive late.
struct Statistics {
    /// One element per collective that has been called.
    std::vector<CollectiveStatistics> collectives;
};

} // namespace tutti::v0_1
