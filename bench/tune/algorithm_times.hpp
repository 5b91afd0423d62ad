#pragma once

#include "threads/tutti_runner.hpp"
#include "tune/tuning_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::bench {

/// What algorithms took for one problem.
struct AlgorithmTimes {
    std::vector<Sampled> samples;
    /// Elements of results that were wrong, of all members.
    std::uint64_t wrong = 0;
};

/// Measures rows of the registry in turns on `problem`: every one's result is checked, then each runs a few
/// times, and those that come within 1.5 times of the fastest, and `built_in`, as often as fits into
/// `seconds`, but 3 times at least.
AlgorithmTimes time_algorithms(TuttiRunner& runner, const Problem& problem,
                               const std::vector<std::size_t>& rows, std::size_t built_in, double seconds);

} // namespace tutti::bench
