#pragma once

#include <string>

namespace tutti::laboratory {

/// The arguments of `tutti measure`, as typed.
struct MeasureArguments {
    std::string output = "tutti-lines.json";
    /// Empty: none is drawn.
    std::string matrix;
    double seconds = 60;
    bool quiet = false;
};

/// `tutti measure`: measures what this machine's lines, caches and links cost, writes that to a file, and
/// prints it with its differences from hwloc. Returns the exit code. Throws UsageError, EnvironmentUnfit.
int run_measure(const MeasureArguments& arguments);

} // namespace tutti::laboratory
