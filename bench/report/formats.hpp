#pragma once

#include "measure/point.hpp"
#include "report/environment.hpp"

#include <span>
#include <string>

namespace tutti::bench {

/// Points as the JSON of Google Benchmark (docs/user_guide.md, "Output Files"), which its compare.py reads: a
/// benchmark for each point, a repetition for each of its samples, and the median as an aggregate. There are
/// no times of CPUs: cpu_time is real_time. \param date as RFC 3339 has it
std::string benchmark_text(const Environment& environment, std::span<const Point> points,
                           const std::string& date);

/// Points in the 13 columns of nccl-tests (src/util.cu): a table for each provider, algorithm, collective and
/// number of members, which are what one run of a program of theirs has. A line is a size, separate and in
/// place; "N/A" is what was not measured. Times are medians of ours and means of theirs. `checked`: whether
/// results were.
std::string nccl_text(std::span<const Point> points, bool checked);

} // namespace tutti::bench
