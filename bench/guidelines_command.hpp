#pragma once

#include <cstddef>
#include <string>

namespace tutti::bench {

/// What `tutti guidelines` is to measure, as typed.
struct GuidelinesArguments {
    std::string begin = "8";
    std::string end = "4M";
    double factor = 8;
    std::string members = "2,3,4,5,7,8,9";
    /// Percent.
    double tolerance = 10;
    std::string placement = "compact";
    double seconds = 0.1;
    std::size_t repetitions = 1000;
    bool quiet = false;
};

/// `tutti guidelines`: measures the operations that performance guidelines name in turns, prints what each
/// guideline came to and every violation. Returns exit_wrong when there is one. Throws UsageError.
int run_guidelines(const GuidelinesArguments& arguments);

} // namespace tutti::bench
