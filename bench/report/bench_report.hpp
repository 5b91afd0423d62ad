#pragma once

#include "measure/calling.hpp"
#include "measure/point.hpp"
#include "report/environment.hpp"

#include <span>
#include <string>

namespace tutti::bench {

/// The lines above the tables: where the numbers come from and what the columns mean.
std::string header_text(const Environment& environment, std::span<const Calling> callings,
                        std::span<const std::string> baselines);

/// A table of the points of one number of members, each beside the baselines' for the same problem.
std::string table_text(std::span<const Point> points, std::span<const Point> baselines);

/// The lines below: the worst ratio to the floor from 16 MiB on, the ratio to the bare exchange and, where
/// there are more members than `cpus`, to the least turns, and how the whole compares with each baseline.
std::string summary_text(std::span<const Point> points, std::span<const Point> baselines, int cpus);

} // namespace tutti::bench
