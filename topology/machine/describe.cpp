#include "machine/cpu_list.hpp"
#include "machine/machine.hpp"

#include <algorithm>

namespace tutti::machine {
namespace {

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
