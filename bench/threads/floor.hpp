#pragma once

#include "measure/calls.hpp"
#include "measure/problem.hpp"
#include "tasks/src/pass/pass.hpp"

#include <tutti/detail/kernels.hpp>

#include <vector>

namespace tutti::bench {

/// The least loads and stores of member `rank`, without any synchronisation with the others. m is the longest
/// vector of a member; bytes that all p members load and store together:
///
/// - allreduce, scan, exscan, alltoall, shift: 2 p m (a block of all inputs, combined in registers, to all
///   outputs; blocks to their owners)
/// - reduce, reduce_scatter, allgather: (p + 1) m
/// - broadcast: p m, shared by all or (p - 1) 2 m, read by everybody, whichever is faster
/// - gather, scatter: 2 m
/// - barrier, alltoall and shift in place: no floor
///
/// Returns one function for each way that is worth trying for this size: storing by plain stores, rep movsb
/// or non-temporal stores, and pushing or pulling if that makes a difference.
std::vector<Calls> floors(const Problem& problem, int rank, const pass::Vectors& vectors);

/// The passes of the problem in one of these ways.
Calls in_passes(const Problem& problem, int rank, const pass::Vectors& vectors, pass::Direction direction,
                detail::StoreHints stores);

} // namespace tutti::bench
