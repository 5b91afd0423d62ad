#pragma once

#include "measure/point.hpp"
#include "options/bench_options.hpp"
#include "report/environment.hpp"

#include <string>
#include <vector>

namespace tutti::bench {

/// All that `tutti bench` must measure, as one line: the same for a run and for one that resumes it.
std::string described(const BenchOptions& options);

/// The points that an interrupted run of the same command on the same machine has left in its JSON file; none
/// where there is no file, or one in which nothing is written yet. Command and time in `environment` become
/// those of that run. Throws UsageError with the difference, and where the file is none of `tutti bench`.
std::vector<Point> points_to_resume(const BenchOptions& options, Environment& environment);

} // namespace tutti::bench
