#include "model/machine_model.hpp"

#include "execute/outlook.hpp"
#include "machine/placement.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

namespace tutti::bench {

namespace {

std::vector<int> compact_cpus(const machine::Machine& machine, int members) {
    if (members < 1 || static_cast<std::size_t>(members) > machine.pus.size()) {
        throw std::invalid_argument(
            fmt::format("{} members do not fit on {} CPUs, each on its own", members, machine.pus.size()));
    }
    return machine::place(machine, members, machine::Placement::compact);
}

} // namespace

machine::Machine described(const distance::LineProfile& profile) {
    if (profile.topology.empty()) {
        throw std::invalid_argument(
            fmt::format("the profile of {} does not say what the machine looks like", profile.name));
    }
    return machine::from_synthetic(profile.topology);
}

simulate::Positions positions_on(const machine::Machine& machine, int members) {
    return execute::positions_of(machine, execute::pus_of(machine, compact_cpus(machine, members)));
}

graph::LevelTree tree_on(const machine::Machine& machine, int members) {
    return graph::LevelTree::of_parts(members, machine::parts_of(machine, compact_cpus(machine, members)));
}

} // namespace tutti::bench
