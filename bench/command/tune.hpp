#pragma once

#include "options/point_arguments.hpp"

#include <string>

namespace tutti::bench {

/// What `tutti tune` is to measure, as typed.
struct TuneArguments {
    std::string output = "tutti-tuning.txt";
    /// Members "auto": see members_to_tune(). The seconds are those of all measurements together.
    PointArguments points = {.begin = "8", .end = "16M", .factor = 8, .members = "auto", .seconds = 120};
};

/// `tutti tune`: measures this machine's profile, for a tenth of the seconds and at most 5 of them, and the
/// algorithms that the library may choose from; writes both to a file for TUTTI_TUNING, and prints where that
/// differs from the built-in choice. Returns exit_wrong when a result was
/// wrong; then nothing is written. Throws UsageError, EnvironmentUnfit.
int run_tune(const TuneArguments& arguments);

} // namespace tutti::bench
