// Machine from hwloc: the running system, an XML file, a synthetic description.
#include "machine/machine.hpp"
#include "machine/pinning.hpp"
#include "machine/thresholds.hpp"

#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tutti::machine {
namespace {

struct DestroyTopology {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// Loads a topology from the source that `choose_source` sets; null, with errno set, if that fails.
template <class ChooseSource>
Topology load_topology(ChooseSource choose_source) {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) {
        return nullptr;
    }
    Topology topology(raw);
    // Disallowed PUs are kept so that "2 of 8 allowed" can be reported and indices do not depend on the
    // cpuset.
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
#if HWLOC_API_VERSION >= 0x00020500
    // Without it the x86 backend visits every PU with the calling thread.
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
    if (choose_source(raw) != 0 || hwloc_topology_set_flags(raw, flags) != 0 ||
        hwloc_topology_load(raw) != 0) {
        return nullptr;
    }
    return topology;
}

int logical_index(hwloc_obj_t object) {
    return object == nullptr ? -1 : static_cast<int>(object->logical_index);
}

/// The nearest memory of a PU: if it has several nodes (DRAM and HBM), the first.
int numa_index(hwloc_topology_t topology, hwloc_obj_t pu) {
    int first = -1;
    for (int node = hwloc_bitmap_first(pu->nodeset); node >= 0; node = hwloc_bitmap_next(pu->nodeset, node)) {
        const int index =
            logical_index(hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(node)));
        if (index >= 0 && (first < 0 || index < first)) {
            first = index;
        }
    }
    return first;
}

Pu describe_pu(hwloc_topology_t topology, hwloc_obj_t pu) {
    const auto ancestor = [&](hwloc_obj_type_t type) {
        return hwloc_get_ancestor_obj_by_type(topology, type, pu);
    };
    hwloc_obj* const core = ancestor(HWLOC_OBJ_CORE);
    int smt = -1;
    if (core != nullptr) {
        hwloc_obj* const first_sibling =
            hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, 0);
        smt = logical_index(pu) - logical_index(first_sibling);
    }
    return {.os_index = static_cast<int>(pu->os_index),
            .core = logical_index(core),
            .smt = smt,
            .l2 = logical_index(ancestor(HWLOC_OBJ_L2CACHE)),
            .l3 = logical_index(ancestor(HWLOC_OBJ_L3CACHE)),
            .numa = numa_index(topology, pu),
            .package = logical_index(ancestor(HWLOC_OBJ_PACKAGE))};
}

std::size_t first_cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
    hwloc_obj* const cache = hwloc_get_obj_by_type(topology, type, 0);
    return cache == nullptr ? 0 : static_cast<std::size_t>(cache->attr->cache.size);
}

/// The value that hwloc has for the processor under this name; empty if there is none.
std::string processor_info(hwloc_topology_t topology, const char* name) {
    // It is on the package, or on the machine if hwloc has found no packages.
    for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE}) {
        hwloc_obj* const object = hwloc_get_obj_by_type(topology, type, 0);
        const char* const info = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, name);
        if (info != nullptr) {
            return info;
        }
    }
    return {};
}

#if HWLOC_API_VERSION >= 0x00020400
/// A number that hwloc states of a kind of cores under this name; 0 if it does not.
int number_of_kind(hwloc_topology_t topology, unsigned kind, std::string_view name) {
    unsigned count = 0;
    hwloc_info_s* infos = nullptr;
    hwloc_cpukinds_get_info(topology, kind, nullptr, nullptr, &count, &infos, 0);
    const std::span<const hwloc_info_s> all(infos, count);
    const auto found = std::ranges::find(all, name, &hwloc_info_s::name);
    return found == all.end() ? 0 : std::atoi(found->value);
}

/// The speed of each kind, from the first of these numbers that differs among the kinds.
std::vector<int> speeds_of_kinds(hwloc_topology_t topology, int kinds) {
    std::vector<int> speeds(static_cast<std::size_t>(kinds));
    for (const char* const name : {"LinuxCapacity", "FrequencyMaxMHz"}) {
        for (unsigned kind = 0; kind < speeds.size(); ++kind) {
            speeds[kind] = number_of_kind(topology, kind, name);
        }
        const auto [least, greatest] = std::ranges::minmax(speeds);
        if (0 < least && least < greatest) {
            for (int& speed : speeds) {
                speed = speed * full_speed / greatest;
            }
            return speeds;
        }
    }
    std::ranges::fill(speeds, full_speed);
    return speeds;
}
#endif

/// Notes the kinds of the cores; none if hwloc has not found which of them are faster.
void note_kinds([[maybe_unused]] hwloc_topology_t topology, [[maybe_unused]] std::vector<Pu>& pus) {
#if HWLOC_API_VERSION >= 0x00020400
    const int kinds = hwloc_cpukinds_get_nr(topology, 0);
    int rank = -1;
    if (kinds < 2 || hwloc_cpukinds_get_info(topology, 0, nullptr, &rank, nullptr, nullptr, 0) != 0 ||
        rank < 0) {
        return;
    }
    const std::vector<int> speeds = speeds_of_kinds(topology, kinds);
    for (Pu& pu : pus) {
        hwloc_obj* const object = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(pu.os_index));
        const int kind = hwloc_cpukinds_get_by_cpuset(topology, object->cpuset, 0); // the slowest is 0
        if (kind >= 0) {
            pu.kind = kind == kinds - 1 ? Kind::performance : kind == 0 ? Kind::efficient : Kind::medium;
            pu.speed = speeds[static_cast<std::size_t>(kind)];
        }
    }
#endif
}

Machine describe_topology(hwloc_topology_t topology) {
    Machine machine;
    machine.l2_bytes = first_cache_bytes(topology, HWLOC_OBJ_L2CACHE);
    machine.l3_bytes = first_cache_bytes(topology, HWLOC_OBJ_L3CACHE);
    machine.model = processor_info(topology, "CPUModel");
    machine.vendor = processor_info(topology, "CPUVendor");
    machine.family = std::atoi(processor_info(topology, "CPUFamilyNumber").c_str());
    std::vector<int> allowed;
    for (hwloc_obj_t pu = nullptr;
         (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
        machine.pus.push_back(describe_pu(topology, pu));
        if (hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology), pu->os_index) != 0) {
            allowed.push_back(machine.pus.back().os_index);
        }
    }
    note_kinds(topology, machine.pus);
    machine.pus_in_machine = static_cast<int>(machine.pus.size());
    return restrict(std::move(machine), allowed, "cpuset");
}

/// CPUs without structure, for a machine hwloc cannot describe.
Machine flat_machine(std::span<const int> os_indices, std::string note) {
    Machine machine;
    for (const int os_index : os_indices) {
        machine.pus.push_back({.os_index = os_index});
    }
    machine.pus_in_machine =
        std::max(static_cast<int>(machine.pus.size()), static_cast<int>(std::thread::hardware_concurrency()));
    machine.notes.push_back(std::move(note));
    return machine;
}

/// The description of this machine by hwloc, whatever the process is bound to.
struct Described {
    Machine machine; ///< without CPUs where hwloc cannot describe it
    std::string note;
};

Described describe_this_system() {
    const Topology topology = load_topology([](hwloc_topology_t) { return 0; });
    if (!topology) {
        const std::string reason = std::generic_category().message(errno);
        return {{}, "caches and cores unknown: hwloc cannot read this machine (" + reason + ")"};
    }
    Described described{describe_topology(topology.get()), ""};
    if (hwloc_topology_is_thissystem(topology.get()) != 0) {
        note_this_processor(described.machine);
    } else {
        described.note = "hwloc was told to describe a stored machine, not this one";
    }
    return described;
}

/// The same from the files of the kernel, if these suffice and no variable tells hwloc what to read.
Described describe_by_files() {
    constexpr std::array variables{"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH",
                                   "HWLOC_COMPONENTS"};
    const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
    if (std::ranges::none_of(variables, is_set)) {
        if (std::optional<Machine> machine = from_files("/")) {
            return {*std::move(machine), ""};
        }
    }
    return describe_this_system();
}

/// The machine as a process that is bound to these CPUs may use it.
Machine bound_to(const std::vector<int>& bound, Described described) {
    Machine& machine = described.machine;
    if (machine.pus.empty()) {
        return flat_machine(bound, std::move(described.note));
    }
    if (bound.empty()) {
        machine.notes.emplace_back("the system does not tell what this process is bound to");
        return std::move(machine);
    }
    const bool known = std::ranges::any_of(
        machine.pus, [&](const Pu& pu) { return std::ranges::find(bound, pu.os_index) != bound.end(); });
    if (!known) {
        return flat_machine(bound,
                            "caches and cores unknown: hwloc describes a machine without this process's "
                            "CPUs (is HWLOC_XMLFILE or HWLOC_SYNTHETIC set?)");
    }
    if (!described.note.empty()) {
        machine.notes.push_back(std::move(described.note));
    }
    return restrict(std::move(machine), bound, "process binding");
}

} // namespace

Machine detect() {
    return bound_to(process_cpus(), describe_this_system());
}

Machine here() {
    static const Described described = describe_by_files();
    return bound_to(process_cpus(), described);
}

Machine from_xml(const std::string& path) {
    const Topology topology =
        load_topology([&](hwloc_topology_t raw) { return hwloc_topology_set_xml(raw, path.c_str()); });
    if (!topology) {
        throw std::invalid_argument("from_xml: cannot read path '" + path + "' (" +
                                    std::generic_category().message(errno) +
                                    "); it must be a hwloc 2 XML file as `lstopo machine.xml` writes it");
    }
    return describe_topology(topology.get());
}

Machine from_synthetic(const std::string& description) {
    const Topology topology = load_topology(
        [&](hwloc_topology_t raw) { return hwloc_topology_set_synthetic(raw, description.c_str()); });
    if (!topology) {
        throw std::invalid_argument("from_synthetic: hwloc does not understand the description '" +
                                    description + "'; use for example \"pack:2 [numa] l3:2 core:4 pu:2\"");
    }
    return describe_topology(topology.get());
}

std::string synthetic_here() {
    const Topology topology = load_topology([](hwloc_topology_t) { return 0; });
    std::array<char, 4096> text{};
    // It returns the length of the whole text, of which there may be more than room.
    const int length =
        topology ? hwloc_topology_export_synthetic(topology.get(), text.data(), text.size(), 0) : -1;
    return length > 0 && static_cast<std::size_t>(length) < text.size() ? text.data() : std::string();
}

} // namespace tutti::machine
