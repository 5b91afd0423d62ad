#pragma once

#include "measure/calling.hpp"
#include "measure/point.hpp"
#include "report/environment.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace tutti::bench {

// No line is longer than `width` columns where that can be.

/// The lines above the tables: where the numbers come from.
std::string header_text(const Environment& environment, std::size_t width);

/// The meaning of the columns in the table of these points.
std::string legend_text(std::span<const Point> points, std::span<const Point> baselines,
                        std::span<const Calling> callings, std::size_t width);

/// A table of the points of one number of members, each beside the baselines' for the same problem. Times of
/// points that are unstable have a "~" before them.
std::string table_text(std::span<const Point> points, std::span<const Point> baselines, std::size_t width);

/// The lines below: wrong elements and unstable points; how fast Tutti is beside each baseline, how far from
/// the floor, and where it is slower.
std::string summary_text(std::span<const Point> points, std::span<const Point> baselines, std::size_t width);

/// The registry as a table for a terminal of so many columns, one row a line.
std::string algorithm_table(std::size_t width);

/// The same as a Markdown table; docs/research/algorithms-table.md is made with it.
std::string algorithm_markdown();

/// Only the names, one line for each collective, as a Markdown table; one in docs/algorithms.md is made with
/// it.
std::string algorithm_names_markdown();

} // namespace tutti::bench
