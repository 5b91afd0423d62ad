#include "model/machine_model.hpp"

#include "execute/outlook.hpp"
#include "machine/placement.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

namespace tutti::bench {

using distance::Class;

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
    const std::vector<int> cpus = machine::place(machine, members, machine::Placement::compact);
    return execute::positions_of(machine, execute::pus_of(machine, cpus));
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
