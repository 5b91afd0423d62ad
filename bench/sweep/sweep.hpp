#pragma once

#include "options/bench_options.hpp"
#include "report/environment.hpp"

#include <functional>
#include <span>
#include <string>

namespace tutti::bench {

/// The text of a report for a browser; `is_all`: of a measurement that has ended.
using PageText =
    std::function<std::string(const Environment& environment, std::span<const Point> points, bool is_all)>;

/// Measures all points of the options, prints tables, and writes the files; `page_text` is only called for
/// options with --html. Returns the exit code: exit_wrong when a result was wrong. Throws EnvironmentUnfit
/// when there is not enough memory, UsageError where the placement or algorithm does not fit.
int run_sweep(const BenchOptions& options, const PageText& page_text = {});

} // namespace tutti::bench
