#pragma once

#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <string>

namespace tutti::laboratory {

/// The table of `tutti model --traffic`: for each level of the tree, outermost first, what every algorithm
/// has cross the borders of its groups, beside the least that must, for vectors of so many bytes. Rooted at
/// member 0, distance 1.
std::string traffic_table(Collective collective, std::size_t bytes, const graph::LevelTree& tree);

} // namespace tutti::laboratory
