#pragma once

#include "distance/groups.hpp"
#include "machine/machine.hpp"

#include <span>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// How groups that show in the times differ from what hwloc states of the CPUs, a sentence each: groups that
/// hwloc does not report, such as caches that a virtual machine hides, and those that do not show. Nothing
/// where they are the same. \pre the levels were found among these CPUs, numbered as they come
std::vector<std::string> differences(std::span<const machine::Pu> pus, const distance::Matrix& one_way_ns,
                                     const std::vector<distance::FoundLevel>& found);

} // namespace tutti::laboratory
