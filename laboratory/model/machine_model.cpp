#include "model/machine_model.hpp"

#include "survey/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace tutti::laboratory {

machine::Machine described(const distance::MachineModel& profile) {
    if (profile.topology.empty()) {
        throw std::invalid_argument(
            fmt::format("the profile of {} does not say what the machine looks like", profile.name));
    }
    return machine::from_synthetic(profile.topology);
}

std::vector<int> cpus_on(const machine::Machine& machine, int members,
                         const machine::PlacementRequest& placement) {
    if (members < 1 || static_cast<std::size_t>(members) > machine.pus.size()) {
        throw std::invalid_argument(
            fmt::format("{} members do not fit on {} CPUs, each on its own", members, machine.pus.size()));
    }
    std::vector<int> cpus = machine::place(machine, members, placement);
    if (std::set(cpus.begin(), cpus.end()).size() < cpus.size() || cpus.front() == machine::unpinned) {
        throw std::invalid_argument(fmt::format("placement {} does not give each of {} members a CPU",
                                                machine::to_string(placement), members));
    }
    return cpus;
}

graph::LevelTree tree_of_cpus(const machine::Machine& machine, const std::vector<int>& cpus) {
    return graph::LevelTree::of_parts(static_cast<int>(cpus.size()), machine::parts_of(machine, cpus));
}

std::vector<machine::Pu> pus_of(const machine::Machine& machine, std::span<const int> cpus) {
    std::vector<machine::Pu> pus;
    pus.reserve(cpus.size());
    for (const int cpu : cpus) {
        pus.push_back(*std::ranges::find(machine.pus, cpu, &machine::Pu::os_index));
    }
    return pus;
}

simulate::Positions positions_on(const machine::Machine& machine, int members) {
    const std::vector<machine::Pu> pus = pus_of(machine, cpus_on(machine, members, {}));
    simulate::Positions positions;
    for (std::size_t part = 0; part < positions.groups.size(); ++part) {
        positions.groups[part] = groups_within(pus, distance::all_classes[part]);
    }
    positions.l2_bytes = machine.l2_bytes;
    positions.l3_bytes = machine.l3_bytes;
    return positions;
}

graph::LevelTree tree_on(const machine::Machine& machine, int members) {
    return tree_of_cpus(machine, cpus_on(machine, members, {}));
}

} // namespace tutti::laboratory
