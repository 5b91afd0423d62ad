#include "choose/this_machine.hpp"

#include "machine/cpu_list.hpp"
#include "machine/placement.hpp"
#include "printable.hpp"

#include <algorithm>
#include <set>

namespace tutti::tuning {

namespace {

std::string caches(const char* label, int groups, std::size_t bytes) {
    return std::string(label) + " " + std::to_string(groups) + " x " + std::to_string(bytes);
}

} // namespace

std::vector<std::string> fingerprint(const machine::Machine& machine) {
    return {"model " + printable(machine.model), "cpus " + machine::format_cpu_list(machine.os_indices()),
            "cores " + std::to_string(machine.cores()), caches("l2", machine.l2_groups(), machine.l2_bytes),
            caches("l3", machine.l3_groups(), machine.l3_bytes)};
}

int l3_groups(const machine::Machine& machine, std::span<const int> cpus) {
    const std::set<int> used(cpus.begin(), cpus.end());
    std::set<int> groups;
    for (const machine::Pu& pu : machine.pus) {
        if (used.contains(pu.os_index) || used.contains(machine::unpinned)) {
            groups.insert(pu.l3);
        }
    }
    return std::clamp(static_cast<int>(groups.size()), 1, std::max(static_cast<int>(cpus.size()), 1));
}

const machine::Machine& this_machine() {
    static const machine::Machine machine = machine::here();
    return machine;
}

const machine::Thresholds& this_thresholds() {
    static const machine::Thresholds profile = machine::family_thresholds(this_machine());
    return profile;
}

} // namespace tutti::tuning
