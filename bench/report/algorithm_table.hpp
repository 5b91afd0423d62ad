#pragma once

#include <cstddef>
#include <string>

namespace tutti::bench {

/// The registry as a table for a terminal of so many columns, one row a line.
std::string algorithm_table(std::size_t width);

/// The same as a Markdown table; docs/algorithms.md is made with it.
std::string algorithm_markdown();

/// Only the names, one line for each collective, as a Markdown table; one in docs/algorithms.md is made with
/// it.
std::string algorithm_names_markdown();

} // namespace tutti::bench
