#pragma once

#include "lab_command/lab_command.hpp"
#include "options/bench_options.hpp"

#include <cstddef>
#include <string>

namespace tutti::bench {

/// The arguments of `tutti compare`, as typed.
struct CompareArguments {
    std::string before;
    std::string after;
    /// Percent.
    double effect = 10;
    double significance = 0.001;
    std::string provider = "tutti";
};

/// `tutti compare`: judges each point that both files have, prints those that differ and how many do not.
/// Returns exit_regression when one is slower. Throws UsageError when there is nothing to compare.
int run_compare(const CompareArguments& arguments);

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

/// The arguments of `tutti info`, as typed.
struct InfoArguments {
    bool algorithms = false;
    bool markdown = false;
    bool names = false;
    laboratory::ChoiceArguments choice;
};

/// `tutti info`: this machine, this build, and what members could be pinned to; with `algorithms`, the
/// registry, as a Markdown table if requested, or only its names; with `choice`, the choice for one call.
/// Returns the exit code. Throws UsageError.
int run_info(const InfoArguments& arguments);

} // namespace tutti::bench
