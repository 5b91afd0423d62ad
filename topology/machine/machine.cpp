#include "machine/machine.hpp"

#include "machine/files.hpp"

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

std::string format_bytes(std::size_t bytes) {
    constexpr std::size_t kibibyte = 1024;
    constexpr std::size_t mebibyte = 1024 * kibibyte;
    if (bytes >= mebibyte && bytes % mebibyte == 0) {
        return std::to_string(bytes / mebibyte) + " MiB";
    }
    return std::to_string(bytes / kibibyte) + " KiB";
}

std::string line(std::string label, const std::string& value) {
    constexpr std::size_t label_width = 12;
    label.resize(label_width, ' ');
    return label + value + "\n";
}

/// "2 x 32 MiB, 8 CPUs each": the last part only if the groups are equal, which a cpuset can prevent.
std::string caches(const Machine& machine, int Pu::*field, int groups, std::size_t bytes) {
    std::string text = std::to_string(groups);
    if (bytes > 0) {
        text += " x " + format_bytes(bytes);
    }
    const auto members = [&](const Pu& example) {
        return std::ranges::count(machine.pus, example.*field, field);
    };
    const auto first = members(machine.pus.front());
    if (std::ranges::all_of(machine.pus, [&](const Pu& pu) { return members(pu) == first; })) {
        text += ", " + std::to_string(first) + (first == 1 ? " CPU each" : " CPUs each");
    }
    return text;
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

std::string describe(const Machine& machine) {
    std::string text;
    if (!machine.model.empty()) {
        text += line("CPU model", machine.model);
    }
    text +=
        line("CPUs", std::to_string(machine.pus.size()) + " of " + std::to_string(machine.pus_in_machine) +
                         " allowed: " + format_cpu_list(machine.os_indices()));
    text += line("cores", std::to_string(machine.cores()));
    if (std::ranges::count(machine.pus, Kind::performance, &Pu::kind) != std::ssize(machine.pus)) {
        text += line("core kinds", machine.kinds());
    }
    if (const int groups = machine.l2_groups(); groups > 0) {
        text += line("L2", caches(machine, &Pu::l2, groups, machine.l2_bytes));
    }
    if (const int groups = machine.l3_groups(); groups > 0) {
        text += line("L3", caches(machine, &Pu::l3, groups, machine.l3_bytes));
    }
    if (const int nodes = machine.numa_nodes(); nodes > 0) {
        text += line("NUMA nodes", std::to_string(nodes));
    }
    if (const int packages = machine.packages(); packages > 0) {
        text += line("packages", std::to_string(packages));
    }
    for (const std::string& note : machine.notes) {
        text += line("note", note);
    }
    return text;
}

} // namespace tutti::machine
