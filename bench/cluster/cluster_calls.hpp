#pragma once

#include "measure/problem.hpp"

#include <tutti/mpi.hpp>

namespace tutti::bench {

/// Whether call_cluster() and HandWritten know it.
bool is_measured(Collective collective);
inline constexpr const char* measured_collectives = "allreduce, reduce_scatter, allgather, broadcast, reduce";

/// One call: a sum of doubles where it reduces, rooted at Problem::root.
void call_cluster(mpi::Member& me, const Problem& problem, const Options& options, const double* in,
                  double* out);

} // namespace tutti::bench
