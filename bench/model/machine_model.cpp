#include "model/machine_model.hpp"

#include "machine/placement.hpp"
#include "survey/machine_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace tutti::bench {

using distance::Class;
using machine::Pu;

machine::Machine described(const distance::LineProfile& profile) {
    if (profile.topology.empty()) {
        throw std::invalid_argument(
            fmt::format("the profile of {} does not say what the machine looks like", profile.name));
    }
    return machine::from_synthetic(profile.topology);
}

simulate::Positions positions_on(const machine::Machine& machine, int members) {
    if (members < 1 || static_cast<std::size_t>(members) > machine.pus.size()) {
        throw std::invalid_argument(
            fmt::format("{} members do not fit on {} CPUs, each on its own", members, machine.pus.size()));
    }
    std::vector<Pu> pus;
    for (const int cpu : machine::place(machine, members, machine::Placement::compact)) {
        pus.push_back(*std::ranges::find(machine.pus, cpu, &Pu::os_index));
    }
    simulate::Positions positions;
    for (std::size_t part = 0; part < positions.groups.size(); ++part) {
        positions.groups[part] = groups_within(pus, distance::all_classes[part]);
    }
    positions.l3_bytes = machine.l3_bytes;
    return positions;
}

graph::LevelTree tree_of(const simulate::Positions& positions) {
    std::vector<std::vector<int>> levels;
    for (const Class part : {Class::socket, Class::node, Class::l3, Class::core}) {
        const distance::Groups& groups = positions.groups_of(part);
        std::vector<int>& sizes = levels.emplace_back(distance::count(groups), 0);
        for (const std::size_t group : groups) {
            ++sizes[group];
        }
    }
    return graph::LevelTree::nested(positions.members(), levels);
}

} // namespace tutti::bench
