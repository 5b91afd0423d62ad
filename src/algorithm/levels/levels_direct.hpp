#pragma once

#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"

namespace tutti::algorithm {

/// Allreduces, reduce_scatters, allgathers and broadcasts by the outermost groups of a tree that is
/// cut_to_combine: each member acts for some blocks in its group. It combines what all of the group have of
/// them, in one pass, into scratch; then what its counterparts in all groups have there, in another one, for
/// all of the group or for itself. What is copied comes from where it is, once into each group, and is stored
/// to all of it. So inputs are read and outputs written once, as by `direct`, and (g - 1) vectors come into
/// each of g groups in an allreduce: of two groups, no more than must.
schedule::Schedule levels_direct(Collective collective, const graph::LevelTree& tree, int root);

} // namespace tutti::algorithm
