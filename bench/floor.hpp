#pragma once

#include "work.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace tutti::bench {

/// What member `rank` has to load and store at least, without any synchronisation with the others: the one
/// pass in which the owner of block r reads it from all who have it and stores it to all who want it.
///
/// - allreduce: block r of all inputs, combined in registers, to all outputs: 2 p m bytes in all
/// - reduce_scatter: block r of all inputs to its own output: (p + 1) m
/// - allgather: its own block to all outputs, or all blocks to its own output: (p + 1) m
/// - barrier: nothing; there is no floor
///
/// `inputs` and `outputs` are the vectors of all members. Returns one function for each way of storing that
/// is worth trying for this size: through the caches and past them, and both ways round for an allgather.
std::vector<std::function<void(std::size_t calls)>> floors(const Work& work, int rank,
                                                           const std::vector<std::byte*>& inputs,
                                                           const std::vector<std::byte*>& outputs);

} // namespace tutti::bench
