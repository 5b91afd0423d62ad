#pragma once

#include "distance/groups.hpp"
#include "machine/machine.hpp"

#include <span>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// The times of lines between CPUs as a self-contained SVG file: a row and a column for each, in logical
/// order, the darker the longer. Black lines divide the groups that hwloc reports, the thicker the further
/// apart they are; red frames are around groups that show in the times, if their CPUs follow each other. Few
/// CPUs have their times in ns written into the cells. \pre at least 2 CPUs
std::string matrix_svg(const std::string& title, std::span<const machine::Pu> pus,
                       const distance::Matrix& one_way_ns, const std::vector<distance::FoundLevel>& found);

} // namespace tutti::laboratory
