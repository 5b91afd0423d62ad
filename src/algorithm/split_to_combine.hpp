#pragma once

#include "graph/level_tree.hpp"

namespace tutti::algorithm {

/// The most operands that one member combines in a round: flags are collected one after the other.
inline constexpr int most_operands = 8;

/// `tree` with as few levels more as it takes for the children of each group to be associated as so many
/// operands are, which is how a member combines them in one pass.
graph::LevelTree cut_to_combine(graph::LevelTree tree);

/// `tree` with its groups split so that a member may combine all children of a group in one pass: there are
/// no more than most_operands, and these are associated as so many operands are.
graph::LevelTree split_to_combine(const graph::LevelTree& tree);

} // namespace tutti::algorithm
