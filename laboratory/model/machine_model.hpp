#pragma once

#include "distance/line_profile.hpp"
#include "graph/level_tree.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"
#include "simulate/positions.hpp"

#include <span>
#include <vector>

namespace tutti::laboratory {

/// The machine of a model. Throws std::invalid_argument if the model does not describe it.
machine::Machine described(const distance::MachineModel& profile);

/// The positions of so many members on a machine, placed compactly. Throws std::invalid_argument when there
/// are more than CPUs, or fewer than 1.
simulate::Positions positions_on(const machine::Machine& machine, int members);

/// The tree of a group of so many members there. Throws as positions_on() does.
graph::LevelTree tree_on(const machine::Machine& machine, int members);

/// The CPUs with these numbers, all of which the machine has.
std::vector<machine::Pu> pus_of(const machine::Machine& machine, std::span<const int> cpus);

/// The CPUs of so many members, each on its own. Throws as positions_on() does, where they are not to be
/// pinned, and where two are to share one.
std::vector<int> cpus_on(const machine::Machine& machine, int members,
                         const machine::PlacementRequest& placement);

/// The tree of a group whose members are on these CPUs.
graph::LevelTree tree_of_cpus(const machine::Machine& machine, const std::vector<int>& cpus);

} // namespace tutti::laboratory
