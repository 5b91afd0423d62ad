#pragma once

#include "command/subcommands.hpp"
#include "lab_command/lab_command.hpp"
#include "options/bench_options.hpp"
#include "view_command/view_command.hpp"

#include <CLI/App.hpp>

namespace tutti::bench {

// The options of each command, and their help texts.

void declare(CLI::App& command, BenchArguments& arguments);
void declare(CLI::App& command, CompareArguments& arguments);
void declare(CLI::App& command, laboratory::DrawArguments& arguments);
void declare(CLI::App& command, GuidelinesArguments& arguments);
void declare(CLI::App& command, InfoArguments& arguments);
void declare(CLI::App& command, laboratory::MeasureArguments& arguments);
void declare(CLI::App& command, laboratory::ModelArguments& arguments);
void declare(CLI::App& command, viewer::ReportArguments& arguments);
void declare(CLI::App& command, viewer::TraceArguments& arguments);
void declare(CLI::App& command, laboratory::VerifyArguments& arguments);

} // namespace tutti::bench
