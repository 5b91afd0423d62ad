// Machine from the files in which Linux describes CPUs, caches and NUMA nodes.
#include "machine/files.hpp"
#include "machine/machine.hpp"
#include "machine/thresholds.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace tutti::machine {
namespace {

using Cpus = std::vector<int>;

/// The CPUs that a file lists, ascending; none if there is no such file.
Cpus cpus_listed_in(const std::string& path) {
    const std::string text = line_of_file(path).value_or("");
    return text.empty() ? Cpus{} : parse_cpu_list(text);
}

/// The sets into which a kind of object divides the CPUs. `file(cpu)` lists the CPUs of the object that has
/// `cpu`, if there is one.
template <class File>
std::vector<Cpus> sets_of(const Cpus& online, File file) {
    std::vector<Cpus> sets;
    std::set<int> known;
    for (const int cpu : online) {
        Cpus set = known.contains(cpu) ? Cpus{} : cpus_listed_in(file(cpu));
        if (set.empty()) {
            continue;
        }
        if (std::ranges::find(set, cpu) == set.end() ||
            std::ranges::any_of(set, [&](int each) { return known.contains(each); })) {
            throw std::invalid_argument(file(cpu) + " contradicts other files");
        }
        known.insert(set.begin(), set.end());
        sets.push_back(std::move(set));
    }
    return sets;
}

/// A kind of object: its field in Pu, and the CPUs of each object.
struct Level {
    int Pu::*field;
    std::vector<Cpus> sets;
};

class Files {
public:
    explicit Files(const std::string& root) : devices_(root + "/sys/devices/system/") {}

    Cpus online() const { return cpus_listed_in(devices_ + "cpu/online"); }

    std::vector<Cpus> packages(const Cpus& online) const {
        return line_of_file(of(online.front()) + "topology/physical_package_id") == "-1"
                   ? std::vector<Cpus>{}
                   : sets_of(online, [&](int cpu) { return of(cpu) + "topology/core_siblings_list"; });
    }
    std::vector<Cpus> cores(const Cpus& online) const {
        return sets_of(online, [&](int cpu) { return of(cpu) + "topology/thread_siblings_list"; });
    }
    /// One if the machine does not tell of nodes. Nodes that have memory only are left out.
    std::vector<Cpus> numa_nodes(const Cpus& online) const {
        std::vector<Cpus> nodes;
        for (const int node : cpus_listed_in(devices_ + "node/online")) {
            nodes.push_back(cpus_listed_in(devices_ + "node/node" + std::to_string(node) + "/cpulist"));
        }
        std::erase_if(nodes, [](const Cpus& node) { return node.empty(); });
        return nodes.empty() ? std::vector<Cpus>{online} : nodes;
    }
    std::vector<Cpus> caches(const Cpus& online, int level) const {
        return sets_of(online, [&](int cpu) { return cache(cpu, level) + "shared_cpu_list"; });
    }
    /// Of the cache that this CPU has.
    std::size_t cache_bytes(int cpu, int level) const {
        const std::string text = line_of_file(cache(cpu, level) + "size").value_or(""); // "2048K"
        std::size_t kib = 0;
        std::from_chars(text.data(), text.data() + text.size(), kib);
        return kib * 1024;
    }

private:
    std::string of(int cpu) const { return devices_ + "cpu/cpu" + std::to_string(cpu) + "/"; }

    /// The caches of level 1, for data and for instructions, have the numbers 0 and 1.
    std::string cache(int cpu, int level) const {
        const std::string number = std::to_string(level);
        std::string folder = of(cpu) + "cache/index" + number + "/";
        if (line_of_file(folder + "level").value_or(number) != number) {
            throw std::invalid_argument(folder + " is a cache of another level");
        }
        return folder;
    }

    std::string devices_;
};

/// The CPUs in the order of a walk through the tree of all objects, in which the object with the lowest CPU
/// comes first.
Cpus in_logical_order(Cpus cpus, const std::vector<Level>& levels) {
    std::map<int, std::vector<std::pair<std::size_t, int>>> objects; // of each CPU: size and lowest CPU
    for (const Level& level : levels) {
        for (const Cpus& set : level.sets) {
            for (const int cpu : set) {
                objects[cpu].emplace_back(set.size(), set.front());
            }
        }
    }
    std::map<int, Cpus> paths; // to each CPU, by the lowest CPUs of the objects
    for (const int cpu : cpus) {
        auto& of_cpu = objects[cpu];
        std::ranges::sort(of_cpu, std::greater<>());
        std::ranges::transform(of_cpu, std::back_inserter(paths[cpu]),
                               [](const auto& object) { return object.second; });
        paths[cpu].push_back(cpu);
    }
    std::ranges::sort(cpus, {}, [&](int cpu) -> const Cpus& { return paths[cpu]; });
    return cpus;
}

/// Numbers the objects of a level in logical order.
void number(std::vector<Pu>& pus, const Level& level) {
    std::map<int, const Cpus*> set_of;
    for (const Cpus& set : level.sets) {
        for (const int cpu : set) {
            set_of[cpu] = &set;
        }
    }
    std::map<const Cpus*, int> numbers;
    for (Pu& pu : pus) {
        const auto found = set_of.find(pu.os_index);
        if (found == set_of.end()) {
            continue;
        }
        const Cpus& set = *found->second;
        pu.*level.field = numbers.emplace(&set, static_cast<int>(numbers.size())).first->second;
        if (level.field == &Pu::core) {
            pu.smt = static_cast<int>(std::ranges::find(set, pu.os_index) - set.begin());
        }
    }
}

Machine read_machine(const Files& files, const Cpus& online) {
    const std::vector<Level> levels{{&Pu::package, files.packages(online)},
                                    {&Pu::numa, files.numa_nodes(online)},
                                    {&Pu::l3, files.caches(online, 3)},
                                    {&Pu::l2, files.caches(online, 2)},
                                    {&Pu::core, files.cores(online)}};
    Machine machine;
    for (const int cpu : in_logical_order(online, levels)) {
        machine.pus.push_back({.os_index = cpu});
    }
    for (const Level& level : levels) {
        number(machine.pus, level);
    }
    machine.pus_in_machine = static_cast<int>(machine.pus.size());
    const auto bytes = [&](int Pu::*field, int level) {
        const auto first = std::ranges::find(machine.pus, 0, field);
        return first == machine.pus.end() ? 0 : files.cache_bytes(first->os_index, level);
    };
    machine.l2_bytes = bytes(&Pu::l2, 2);
    machine.l3_bytes = bytes(&Pu::l3, 3);
    if (std::ranges::count(machine.pus, -1, &Pu::core) != 0) {
        throw std::invalid_argument("the system does not tell of all cores");
    }
    return machine;
}

} // namespace

std::optional<Machine> from_files(const std::string& root) {
    try {
        const Files files(root);
        const Cpus online = files.online();
        if (online.empty()) {
            return std::nullopt;
        }
        Machine machine = read_machine(files, online);
        note_this_processor(machine);
        return machine;
    } catch (const std::invalid_argument&) { // hwloc may know more
        return std::nullopt;
    }
}

} // namespace tutti::machine
