#pragma once

#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <string>

namespace tutti::laboratory {

/// The text of src/library/choose/level_choices.cpp: for each collective, from how many bytes on which of the
/// algorithms levels-... is predicted to be faster than `flat` and `direct`, on average over published
/// machines. The same text on every machine.
std::string level_choices_text();

// The papers' tables, computed from the registry's schedules and held against what the papers print.

/// Rabenseifner & Träff 2004, Table 1: four allreduce protocols for odd numbers of ranks.
std::string rabenseifner_traff_2004();

/// Träff et al. 2023, Table I, for so many ranks.
std::string traff_2023(int ranks);

/// Träff 2024, Corollary 1, and the choices of skips of Corollary 2 side by side.
std::string traff_2024(int ranks);

/// The table of `tutti model --traffic`: for each level of the tree, outermost first, what every algorithm
/// has cross the borders of its groups, beside the least that must, for vectors of so many bytes. Rooted at
/// member 0, distance 1.
std::string traffic_table(Collective collective, std::size_t bytes, const graph::LevelTree& tree);

} // namespace tutti::laboratory
