#pragma once

#include "options/point_arguments.hpp"

#include <cstddef>

namespace tutti::bench {

/// The arguments of `tutti guidelines`, as typed.
struct GuidelinesArguments {
    PointArguments points = {
        .begin = "8", .end = "4M", .factor = 8, .members = "2,3,4,5,7,8,9", .seconds = 0.1};
    /// Percent.
    double tolerance = 10;
    std::size_t repetitions = 1000;
};

/// `tutti guidelines`: measures the operations that performance guidelines name in turns, prints what each
/// guideline came to and every violation. Returns exit_wrong when there is one. Throws UsageError.
int run_guidelines(const GuidelinesArguments& arguments);

} // namespace tutti::bench
