#pragma once

#include "algorithm/registry.hpp"
#include "schedule/schedule.hpp"

namespace tutti::cost {

/// What one member does, counted from the schedule:
///
/// - rounds: those in which any member reads or writes another's vector
/// - blocks: received, that is read from others or stored here by others; a block read twice in a round
/// counts once
/// - reductions: blocks combined; `every` combines ranks - 1 times for each block. A barrier's tokens are not
/// data:
///   combining them counts as nothing
///
/// Throws std::invalid_argument when `rank` is out of range. O(moves), of all members unless they are
/// symmetric.
algorithm::Counts count(const schedule::Schedule& schedule, int rank);

/// Blocks that others read from `rank` or that it stores into others, counted in the same way.
long blocks_sent(const schedule::Schedule& schedule, int rank);

} // namespace tutti::cost
