#pragma once

#include "environment.hpp"
#include "point.hpp"

#include <span>
#include <string>

namespace tutti::bench {

/// The lines above the tables: where the numbers come from and what the columns mean.
std::string header_text(const Environment& environment, bool with_baseline);

/// A table of the points of one number of members, each beside the baseline's for the same work.
std::string table_text(std::span<const Point> points, std::span<const Point> baseline);

/// The lines below: the worst ratio to the floor from 16 MiB on, the ratio to the bare exchange, and how the
/// whole compares with the baseline.
std::string summary_text(std::span<const Point> points, std::span<const Point> baseline);

} // namespace tutti::bench
