#pragma once

#include "measure/problem.hpp"

#include <optional>

namespace tutti::bench {

/// The algorithm bandwidth of a run: bytes of the longest vector of a member over time, in GB/s (10^9 bytes a
/// second), as nccl-tests define it (doc/PERFORMANCE.md). Nothing for a barrier or where no time has passed.
std::optional<double> algorithm_bandwidth(const Problem& problem, double us);

/// The factor from the algorithm bandwidth to the bus bandwidth, which does not depend on the number of
/// members if links limit it (nccl-tests, doc/PERFORMANCE.md and src/*.cu): with n members 2 (n - 1) / n for
/// an allreduce; (n - 1) / n for a reduce_scatter, allgather, gather, scatter and alltoall; 1 for a
/// broadcast, reduce and shift. nccl-tests have no scan and exscan: 1, since a member has to receive a vector
/// as long as its own, as in a broadcast. A barrier moves no bytes: empty.
std::optional<double> bus_factor(Collective collective, int members);

/// The bus bandwidth, in GB/s.
std::optional<double> bus_bandwidth(const Problem& problem, double us);

} // namespace tutti::bench
