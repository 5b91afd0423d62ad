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

/// The tree of a group of so many members there. Throws as positions_on() does.
graph::LevelTree tree_on(const machine::Machine& machine, int members);

} // namespace tutti::bench
