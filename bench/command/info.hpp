#pragma once

#include "lab_command/explain_choice.hpp"

namespace tutti::bench {

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
