#pragma once

#include "schedule/schedule.hpp"

#include <span>
#include <string>

namespace tutti::bench {

/// The table of `tutti model --traffic`: for each level of a tree of equal groups, outermost first, what
/// every algorithm has cross the borders of its groups, beside the least that must, for vectors of so many
/// bytes. Rooted at member 0, shifted by 1. Throws std::invalid_argument when `sizes` are none of a tree.
std::string traffic_table(schedule::Collective collective, std::size_t bytes, std::span<const int> sizes);

} // namespace tutti::bench
