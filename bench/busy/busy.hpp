#pragma once

#include "options/bench_options.hpp"

namespace tutti::bench {

/// `tutti bench --busy`: allreduce of 8 bytes beside busy loops of other processes, by each way to wait, all
/// in turns. Prints a table of the medians. Returns an exit code.
int run_busy(const BenchOptions& options);

} // namespace tutti::bench
