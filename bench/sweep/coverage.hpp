#pragma once

#include "options/bench_options.hpp"

#include <string>

namespace tutti::bench {

/// Whether to measure an algorithm on a problem at all; an empty name stands for the library's choice.
bool applies(const BenchOptions& options, const std::string& name, const Problem& problem);

/// A line for each request that is not measured: collectives without the named algorithms, and algorithms
/// that `all` leaves out.
std::string left_out_text(const BenchOptions& options);

} // namespace tutti::bench
