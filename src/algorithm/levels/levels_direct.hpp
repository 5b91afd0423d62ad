#pragma once

#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"

namespace tutti::algorithm {

/// Allreduces, reduce_scatters, allgathers and broadcasts by the outermost groups of a tree that is
/// cut_to_combine: each member acts for some blocks in its group. In one pass it combines the group's
/// operands of these blocks into scratch. In another pass it combines its counterparts' partial results of
/// all groups, for all of the group or for itself. Copies come from the original, once into each group, and
/// are stored to all of it. So inputs are read and outputs written once, as by `direct`, and (g - 1) vectors
/// come into each of g groups in an allreduce, which is the minimum for two groups.
schedule::Schedule levels_direct(Collective collective, const graph::LevelTree& tree, int root);

} // namespace tutti::algorithm
