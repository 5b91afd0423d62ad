#pragma once

#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"

namespace tutti::algorithm {

/// An allreduce in two passes, by the outermost groups of a tree that is cut_to_combine. The members of a
/// group share out the blocks. For its blocks a member combines what all of the group have, in one pass, into
/// scratch; then what its counterparts in all groups have there, in another one that stores to all of the
/// group. So inputs are read and outputs written once, as by `direct`, and (g - 1) vectors come into each of
/// g groups: of two groups, no more than must.
schedule::Schedule levels_direct(const graph::LevelTree& tree);

} // namespace tutti::algorithm
