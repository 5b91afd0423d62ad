#include "machine/placement.hpp"

#include "machine/files.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace tutti::machine {
namespace {

/// Positions in Machine::pus: they compare in logical order.
using Positions = std::vector<std::size_t>;

/// Layer k has the (k+1)-th allowed hardware thread of every core that has so many, in logical order. Counted
/// among the allowed ones: a core whose first thread a cpuset withholds still has its second in layer 0.
std::vector<Positions> layers_of_siblings(std::span<const Pu> pus) {
    std::vector<Positions> layers;
    std::map<int, std::size_t> seen;
    for (std::size_t position = 0; position < pus.size(); ++position) {
        const Pu& pu = pus[position];
        // A PU of unknown core is a core of its own.
        const std::size_t layer = pu.core < 0 ? 0 : seen[pu.core]++;
        layers.resize(std::max(layers.size(), layer + 1));
        layers[layer].push_back(position);
    }
    return layers;
}

Positions compact_order(const Machine& machine, std::size_t members) {
    Positions order;
    for (const Positions& layer : layers_of_siblings(machine.pus)) {
        order.insert(order.end(), layer.begin(), layer.end());
    }
    order.resize(std::min(order.size(), members));
    std::ranges::sort(order);
    return order;
}

constexpr std::array scatter_levels{&Pu::package, &Pu::numa, &Pu::l3, &Pu::l2};

/// `positions` dealt round robin over their groups of the first level, each group ordered likewise by the
/// rest.
Positions deal(const Machine& machine, const Positions& positions, std::span<int Pu::*const> levels) {
    if (levels.empty()) {
        return positions;
    }
    std::map<int, Positions> groups;
    for (const std::size_t position : positions) {
        groups[machine.pus[position].*levels.front()].push_back(position);
    }
    for (auto& [index, group] : groups) {
        group = deal(machine, group, levels.subspan(1));
    }
    Positions dealt;
    for (std::size_t turn = 0; dealt.size() < positions.size(); ++turn) {
        for (const auto& [index, group] : groups) {
            if (turn < group.size()) {
                dealt.push_back(group[turn]);
            }
        }
    }
    return dealt;
}

Positions scatter_order(const Machine& machine) {
    Positions order;
    for (const Positions& layer : layers_of_siblings(machine.pus)) {
        const Positions dealt = deal(machine, layer, scatter_levels);
        order.insert(order.end(), dealt.begin(), dealt.end());
    }
    return order;
}

std::size_t checked_members(int members) {
    if (members < 1) {
        throw std::invalid_argument("place: members is " + std::to_string(members) +
                                    "; it must be at least 1");
    }
    return static_cast<std::size_t>(members);
}

/// The machine with these CPUs only, or with those of them whose cores have no others.
Machine part(Machine machine, std::span<const int> cpus, bool whole_cores) {
    const auto is_out = [cpus](const Pu& pu) { return std::ranges::find(cpus, pu.os_index) == cpus.end(); };
    std::set<int> cores; // with a CPU that is not in the list
    for (const Pu& pu : machine.pus) {
        if (whole_cores && pu.core >= 0 && is_out(pu)) {
            cores.insert(pu.core);
        }
    }
    std::erase_if(machine.pus, [&](const Pu& pu) { return is_out(pu) || cores.contains(pu.core); });
    return machine;
}

/// The kinds in a list of their names; none if it has anything else.
std::vector<Kind> parse_kinds(std::string_view text) {
    std::vector<Kind> kinds;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const auto name = std::ranges::find(names_of_kinds, text.substr(begin, end - begin));
        if (name == names_of_kinds.end()) {
            return {};
        }
        kinds.push_back(static_cast<Kind>(name - names_of_kinds.begin()));
        begin = end + 1;
    }
    return kinds;
}

std::string format_kinds(const std::vector<Kind>& kinds) {
    std::string text;
    for (const Kind kind : kinds) {
        text += (text.empty() ? "" : ",") + std::string(name_of(kind));
    }
    return text;
}

std::vector<int> go_round(std::span<const int> os_indices, std::size_t members) {
    std::vector<int> placed(members, unpinned);
    for (std::size_t member = 0; member < members; ++member) {
        placed[member] = os_indices[member % os_indices.size()];
    }
    return placed;
}

using Indices = std::vector<int>;

/// The CPUs of the machine, by how often each is held.
std::map<std::ptrdiff_t, Indices> cpus_by_use(const Machine& machine, std::span<const int> held) {
    std::map<std::ptrdiff_t, Indices> by_use;
    for (const Pu& pu : machine.pus) {
        by_use[std::ranges::count(held, pu.os_index)].push_back(pu.os_index);
    }
    return by_use;
}

/// A CPU each, of those that are held least often. The rule chooses among CPUs that are held equally often,
/// first among those whose cores have no others.
Indices on_least_used(const Machine& machine, int members, Placement rule,
                      const std::map<std::ptrdiff_t, Indices>& by_use) {
    const auto count = static_cast<std::size_t>(members);
    Indices chosen;
    for (const auto& [use, cpus] : by_use) {
        const std::size_t missing = std::min(count - chosen.size(), cpus.size());
        if (missing == 0) {
            break;
        }
        const Machine cores = part(machine, cpus, true);
        const Indices found = place(cores.pus.size() >= missing ? cores : part(machine, cpus, false),
                                    static_cast<int>(missing), rule);
        chosen.insert(chosen.end(), found.begin(), found.end());
    }
    return place(part(machine, chosen, false), members, rule);
}

} // namespace

std::vector<int> place(const Machine& machine, int members, Placement rule) {
    const std::size_t count = checked_members(members);
    if (rule == Placement::none) {
        return go_round(std::array{unpinned}, count);
    }
    if (machine.pus.empty()) {
        throw std::invalid_argument("place: machine has no CPU to place a member on; use Placement::none");
    }
    const Positions order =
        rule == Placement::compact ? compact_order(machine, count) : scatter_order(machine);
    std::vector<int> os_indices;
    os_indices.reserve(order.size());
    std::ranges::transform(order, std::back_inserter(os_indices),
                           [&](std::size_t position) { return machine.pus[position].os_index; });
    return go_round(os_indices, count);
}

Machine of_kinds(Machine machine, const std::vector<Kind>& kinds) {
    if (kinds.empty()) {
        return machine;
    }
    const std::string there = machine.kinds();
    const auto preference = [&](const Pu& pu) { return std::ranges::find(kinds, pu.kind) - kinds.begin(); };
    std::erase_if(machine.pus, [&](const Pu& pu) { return preference(pu) == std::ssize(kinds); });
    if (machine.pus.empty()) {
        throw std::invalid_argument("placement: no allowed CPU is of the kind " + format_kinds(kinds) +
                                    "; the machine has " + there);
    }
    std::ranges::stable_sort(machine.pus, {}, preference);
    return machine;
}

std::vector<int> place(const Machine& machine, int members, const PlacementRequest& request) {
    if (request.os_indices.empty()) {
        return place(of_kinds(machine, request.kinds), members, request.rule);
    }
    const std::size_t count = checked_members(members);
    const std::vector<int> allowed = machine.os_indices();
    for (const int os_index : request.os_indices) {
        if (std::ranges::find(allowed, os_index) == allowed.end()) {
            throw std::invalid_argument("placement: CPU " + std::to_string(os_index) + " of the list " +
                                        format_cpu_list(request.os_indices) +
                                        " is not allowed here, or offline; allowed are " +
                                        format_cpu_list(allowed));
        }
    }
    return go_round(request.os_indices, count);
}

std::vector<int> place_beside(const Machine& whole, int members, const PlacementRequest& request,
                              std::span<const int> held) {
    const Machine machine = of_kinds(whole, request.kinds);
    const std::map<std::ptrdiff_t, Indices> by_use = cpus_by_use(machine, held);
    if (!request.os_indices.empty() || request.rule == Placement::none || by_use.size() <= 1) {
        return place(machine, members, request);
    }
    const int rest = static_cast<int>(checked_members(members) % machine.pus.size());
    std::vector<int> placed;
    if (rest != members) {
        placed = place(machine, members - rest, request);
    }
    if (rest != 0) {
        const Indices last = on_least_used(machine, rest, request.rule, by_use);
        placed.insert(placed.end(), last.begin(), last.end());
    }
    return placed;
}

std::vector<int> cores_first(std::span<const Pu> pus) {
    std::vector<int> cpus;
    for (const Positions& layer : layers_of_siblings(pus)) {
        for (const std::size_t position : layer) {
            cpus.push_back(pus[position].os_index);
        }
    }
    return cpus;
}

std::vector<std::vector<int>> parts_of(const Machine& machine, std::span<const int> cpus) {
    std::map<int, Pu> known;
    for (const Pu& pu : machine.pus) {
        known.emplace(pu.os_index, pu);
    }
    std::vector<std::vector<int>> parts;
    for (int Pu::*const part : {&Pu::package, &Pu::numa, &Pu::l3, &Pu::core}) {
        std::vector<int> numbers;
        numbers.reserve(cpus.size());
        for (const int cpu : cpus) {
            const auto found = known.find(cpu);
            numbers.push_back(found == known.end() ? -1 : found->second.*part);
        }
        if (std::ranges::find(numbers, -1) == numbers.end()) {
            parts.push_back(std::move(numbers));
        }
    }
    return parts;
}

PlacementRequest parse_placement(std::string_view text) {
    if (text == "compact") {
        return {.rule = Placement::compact, .os_indices = {}};
    }
    if (text == "scatter") {
        return {.rule = Placement::scatter, .os_indices = {}};
    }
    if (text == "none") {
        return {.rule = Placement::none, .os_indices = {}};
    }
    if (std::vector<Kind> kinds = parse_kinds(text); !kinds.empty()) {
        return {.kinds = std::move(kinds), .os_indices = {}};
    }
    try {
        return {.rule = Placement::compact, .os_indices = parse_cpu_list(text)};
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(
            "placement: " + std::string(error.what()) +
            ", or one of compact, scatter, none, or kinds of cores: performance, medium, efficient");
    }
}

std::string to_string(const PlacementRequest& request) {
    if (!request.os_indices.empty()) {
        return format_cpu_list(request.os_indices);
    }
    if (!request.kinds.empty()) {
        return format_kinds(request.kinds);
    }
    switch (request.rule) {
    case Placement::compact:
        return "compact";
    case Placement::scatter:
        return "scatter";
    case Placement::none:
        return "none";
    }
    throw std::invalid_argument("to_string: rule is not a Placement");
}

} // namespace tutti::machine
