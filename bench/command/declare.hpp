#pragma once

#include "command/compare.hpp"
#include "command/draw.hpp"
#include "command/guidelines.hpp"
#include "command/info.hpp"
#include "command/measure.hpp"
#include "command/model.hpp"
#include "command/report.hpp"
#include "command/trace.hpp"
#include "command/tune.hpp"
#include "command/verify.hpp"
#include "options/bench_options.hpp"

#include <CLI/App.hpp>

namespace tutti::bench {

// The options of each command, and what its help says of them.

void declare(CLI::App& command, BenchArguments& arguments);
void declare(CLI::App& command, CompareArguments& arguments);
void declare(CLI::App& command, DrawArguments& arguments);
void declare(CLI::App& command, GuidelinesArguments& arguments);
void declare(CLI::App& command, InfoArguments& arguments);
void declare(CLI::App& command, MeasureArguments& arguments);
void declare(CLI::App& command, ModelArguments& arguments);
void declare(CLI::App& command, ReportArguments& arguments);
void declare(CLI::App& command, TraceArguments& arguments);
void declare(CLI::App& command, TuneArguments& arguments);
void declare(CLI::App& command, VerifyArguments& arguments);

} // namespace tutti::bench
