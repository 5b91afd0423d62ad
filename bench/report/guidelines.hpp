#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// The runs of one operation on vectors of one size among so many members.
struct Measured {
    /// A collective's name, or what stands in for one: "reduce + scatter" is made and timed as one run;
    /// "reduce_scatter to the root" has all elements in the root's block.
    std::string operation;
    int members = 1;
    /// m, the whole vector.
    std::size_t bytes = 0;
    /// Whether it stands in for a collective.
    bool is_mock_up = false;
    /// Run i of one operation was made next to run i of the others of the same size and members.
    std::vector<double> samples_us = {};
    /// The first run of each pass over all operations, ascending; empty for a single pass.
    std::vector<std::size_t> passes = {};
};

/// The result of one performance guideline.
struct GuidelineResult {
    std::string guideline;
    std::size_t checked = 0;
    /// One line each, with the numbers.
    std::vector<std::string> violations;
};

/// When a guideline counts as violated.
struct GuidelineLimits {
    /// The left side may take so many times the right side.
    double tolerance = 1.1;
    /// The same for the time per unit of traffic next to a power of two.
    double neighbour = 1.25;
    /// And the Mann-Whitney test must find it this improbable that it does not take more than that: in all
    /// runs, and in those of most passes. A disturbance of one pass, as by another process, is no property of
    /// the library.
    double significance = 0.001;
    /// CPUs that the members share: the unit of traffic is what the busiest of them loads and stores.
    int cpus = 1;
};

/// Bytes that the busiest CPU loads and stores for each byte of the vector, at least.
double traffic(std::string_view operation, int members, int cpus);

/// Holds measurements against what can be expected of any library whatever the machine is. With m the bytes
/// of the whole vector, p the members and <= "takes no longer than":
///
/// - Träff et al. 2023, section IV-C: (2) reduce_scatter(m) <= allreduce(m); (3) reduce_scatter(m) <=
///   reduce(m) + scatter(m); (4) allreduce(m) <= reduce_scatter(m) + allgather(m); (5) reduce(m) <=
///   allreduce(m); (6) reduce(m) and reduce_scatter(m) to the root take the same
/// - allreduce(m) <= scan(m) + broadcast(m); broadcast(m) <= scatter(m) + allgather(m)
/// - every collective: m <= the next larger m that was measured
/// - every collective: p = 2^k - 1 and 2^k + 1 <= 2^k for each unit of traffic, of which no p has less, or
///   for short messages of the system's turns where there are more of those; not between members with a CPU
///   each and such that share one, which differ by what the system takes to switch
std::vector<GuidelineResult> judge_guidelines(std::span<const Measured> measured,
                                              const GuidelineLimits& limits);

} // namespace tutti::bench
