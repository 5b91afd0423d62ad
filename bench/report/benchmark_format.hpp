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

} // namespace tutti::bench
