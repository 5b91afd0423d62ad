#pragma once

#include "measure/point.hpp"
#include "measure/problem.hpp"
#include "options/bench_options.hpp"
#include "report/environment.hpp"

#include <string>
#include <vector>

namespace tutti::bench {

/// Whether to measure an algorithm on a problem at all; an empty name stands for the library's choice.
bool applies(const BenchOptions& options, const std::string& name, const Problem& problem);

/// A line for each request that is not measured, or not as requested: collectives without the named
/// algorithms, algorithms that `all` leaves out, and sizes that are no whole elements or blocks.
std::string left_out_text(const BenchOptions& options);

/// All that `tutti bench` must measure, as one line: the same for a run and for one that resumes it.
std::string described(const BenchOptions& options);

/// The points that an interrupted run of the same command on the same machine has left in its JSON file; none
/// where there is no file, or one in which nothing is written yet. Command and time in `environment` become
/// those of that run. Throws UsageError with the difference, and where the file is none of `tutti bench`.
std::vector<Point> points_to_resume(const BenchOptions& options, Environment& environment);

} // namespace tutti::bench
