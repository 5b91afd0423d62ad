#pragma once

#include "distance/line_profile.hpp"
#include "graph/level_tree.hpp"
#include "machine/machine.hpp"
#include "simulate/positions.hpp"

namespace tutti::bench {

/// The machine of a profile. Throws std::invalid_argument where that does not say what it looks like.
machine::Machine described(const distance::LineProfile& profile);

/// Where so many members run on a machine, placed compactly. Throws std::invalid_argument when there are more
/// than CPUs, or fewer than 1.
simulate::Positions positions_on(const machine::Machine& machine, int members);

/// Members that are placed compactly as a tree of levels: sockets, NUMA nodes, L3 caches, cores, as far as
/// they divide anything.
graph::LevelTree tree_of(const simulate::Positions& positions);

} // namespace tutti::bench
