#pragma once

#include <string>

namespace tutti::bench {

/// What `tutti tune` is to measure, as typed.
struct TuneArguments {
    std::string output = "tutti-tuning.txt";
    std::string begin = "8";
    std::string end = "16M";
    double factor = 8;
    /// "auto": see members_to_tune().
    std::string members = "auto";
    std::string placement = "compact";
    /// Of all measurements together.
    double seconds = 120;
    bool quiet = false;
};

/// `tutti tune`: measures the algorithms that the library may choose from, writes what it found to a file for
/// TUTTI_TUNING, and prints where that differs from the built-in choice. Returns exit_wrong when a result was
/// wrong; then nothing is written. Throws UsageError, EnvironmentUnfit.
int run_tune(const TuneArguments& arguments);

} // namespace tutti::bench
