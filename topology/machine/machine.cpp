#include "machine/machine.hpp"

#include "machine/cpu_list.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace tutti::machine {
namespace {

/// How many different values of one field the machine states.
int count_groups(const Machine& machine, int Pu::*field) {
    std::set<int> groups;
    for (const Pu& pu : machine.pus) {
        if (pu.*field >= 0) {
            groups.insert(pu.*field);
        }
    }
    return static_cast<int>(groups.size());
}

} // namespace

int Machine::packages() const {
    return count_groups(*this, &Pu::package);
}

int Machine::numa_nodes() const {
    return count_groups(*this, &Pu::numa);
}

int Machine::l3_groups() const {
    return count_groups(*this, &Pu::l3);
}

int Machine::l2_groups() const {
    return count_groups(*this, &Pu::l2);
}

int Machine::cores() const {
    const auto unknown = std::ranges::count(pus, -1, &Pu::core);
    return count_groups(*this, &Pu::core) + static_cast<int>(unknown);
}

std::vector<int> Machine::os_indices() const {
    std::vector<int> indices;
    indices.reserve(pus.size());
    std::ranges::transform(pus, std::back_inserter(indices), &Pu::os_index);
    return indices;
}

std::string Machine::kinds() const {
    std::map<std::pair<Kind, int>, std::vector<int>> cpus;
    for (const Pu& pu : pus) {
        cpus[{pu.kind, pu.speed}].push_back(pu.os_index);
    }
    std::string text;
    for (const auto& [kind, of_kind] : cpus) {
        text += (text.empty() ? "" : ", ") + std::string(name_of(kind.first)) +
                (of_kind.size() == 1 ? " (CPU " : " (CPUs ") + format_cpu_list(of_kind) + ", speed " +
                std::to_string(kind.second) + ")";
    }
    return text;
}

Machine restrict(Machine machine, std::span<const int> os_indices, std::string_view because) {
    const std::vector<int> before = machine.os_indices();
    const auto removed = std::erase_if(machine.pus, [os_indices](const Pu& pu) {
        return std::ranges::find(os_indices, pu.os_index) == os_indices.end();
    });
    if (machine.pus.empty()) {
        throw std::invalid_argument("restrict: os_indices (" + format_cpu_list(os_indices) +
                                    ") leaves no CPU; name at least one of " + format_cpu_list(before));
    }
    if (removed > 0) {
        machine.notes.push_back(std::to_string(machine.pus.size()) + " of " +
                                std::to_string(machine.pus_in_machine) + " CPUs allowed (" +
                                std::string(because) + ")");
    }
    return machine;
}

} // namespace tutti::machine
