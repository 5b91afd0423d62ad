#pragma once

#include "options/bench_options.hpp"

namespace tutti::bench {

/// `tutti bench`. Returns the exit code: exit_wrong when a result was wrong. Throws EnvironmentUnfit when
/// there is not enough memory, UsageError where the placement or algorithm does not fit.
int run_bench(const BenchOptions& options);

} // namespace tutti::bench
