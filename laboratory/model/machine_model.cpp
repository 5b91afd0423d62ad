#include "model/machine_model.hpp"

#include "choose/algorithm_predictor.hpp"

#include <fmt/format.h>

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

simulate::Positions positions_on(const machine::Machine& machine, int members) {
    return engine::positions_of(machine, engine::pus_of(machine, cpus_on(machine, members, {})));
}

graph::LevelTree tree_on(const machine::Machine& machine, int members) {
    return tree_of_cpus(machine, cpus_on(machine, members, {}));
}

} // namespace tutti::laboratory
