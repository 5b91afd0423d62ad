#include "model/machine_drawing.hpp"

#include "model/prediction_table.hpp"
#include "survey/distances.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

namespace tutti::laboratory {

using distance::Class;
using graph::LevelTree;
using graph::RankRange;
using machine::Machine;
using machine::Pu;

namespace {

constexpr std::size_t most_drawn_cpus = 1024;

/// The groups of the level before that a level divides.
std::vector<RankRange> divided(const LevelTree& tree, int level) {
    std::vector<RankRange> groups;
    for (int number = 0; number < tree.groups(level - 1); ++number) {
        if (tree.children(level - 1, number).count > 1) {
            groups.push_back(tree.group(level - 1, number));
        }
    }
    return groups;
}

/// The distance of members that are in one group of the level before, and not of this level.
std::set<Class> classes_between(const CpuTree& members, int level) {
    std::set<Class> found;
    for (const RankRange group : divided(members.tree, level)) {
        for (int one = group.first; one < group.first + group.count; ++one) {
            for (int other = group.first; other < one; ++other) {
                if (members.tree.group_of(level, one) != members.tree.group_of(level, other)) {
                    found.insert(class_of(members.pus[static_cast<std::size_t>(one)],
                                          members.pus[static_cast<std::size_t>(other)]));
                }
            }
        }
    }
    return found;
}

/// "8 L3 caches of 4 members", "... of 1 to 4 members", "8 CPUs" for a member each.
std::string groups_text(const CpuTree& members, int level) {
    const LevelTree& tree = members.tree;
    const PartKind& kind = part_kinds()[members.kinds[static_cast<std::size_t>(level)].front()];
    std::string text = fmt::format("{} {}", tree.groups(level), kind.many);
    int least = tree.ranks();
    int most = 0;
    for (int number = 0; number < tree.groups(level); ++number) {
        least = std::min(least, tree.group(level, number).count);
        most = std::max(most, tree.group(level, number).count);
    }
    if (most == 1) {
        return text + ", a member each";
    }
    return text + (least == most ? fmt::format(" of {} members", most)
                                 : fmt::format(" of {} to {} members", least, most));
}

/// The kinds of parts that the groups of a level are.
std::vector<std::size_t> kinds_of(const CpuTree& cpus, int level) {
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < part_kinds().size(); ++kind) {
        // A group is a part where all of it have the part's number, and nobody else has.
        std::set<std::pair<int, int>> pairs;
        std::set<int> parts;
        for (std::size_t at = 0; at < cpus.pus.size(); ++at) {
            const int part = cpus.pus[at].*part_kinds()[kind].number;
            pairs.emplace(cpus.tree.group_of(level, static_cast<int>(at)), part);
            parts.insert(part);
        }
        const auto groups = static_cast<std::size_t>(cpus.tree.groups(level));
        if (pairs.size() == groups && parts.size() == groups && *parts.begin() >= 0) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

} // namespace

std::span<const PartKind> part_kinds() {
    static constexpr std::array<PartKind, 5> kinds{{{&Pu::package, "socket", "sockets"},
                                                    {&Pu::numa, "NUMA node", "NUMA nodes"},
                                                    {&Pu::l3, "L3", "L3 caches"},
                                                    {&Pu::core, "core", "cores"},
                                                    {&Pu::os_index, "CPU", "CPUs"}}};
    return kinds;
}

CpuTree::CpuTree(const Machine& machine, const std::vector<int>& cpus)
    : pus(pus_of(machine, cpus)), tree(tree_of_cpus(machine, cpus)) {
    for (int level = 0; level <= tree.last(); ++level) {
        kinds.push_back(kinds_of(*this, level));
    }
}

std::string CpuTree::name_of(int level, int number) const {
    const Pu& pu = pus[static_cast<std::size_t>(tree.group(level, number).first)];
    std::string name;
    for (const std::size_t kind : kinds[static_cast<std::size_t>(level)]) {
        name += fmt::format("{}{} {}", name.empty() ? "" : ", ", part_kinds()[kind].one,
                            pu.*part_kinds()[kind].number);
    }
    return name;
}

MachineDrawing machine_drawing(const distance::MachineModel& profile, int members,
                               const machine::PlacementRequest& placement) {
    Machine machine = described(profile);
    if (machine.pus.size() > most_drawn_cpus) {
        throw std::invalid_argument(fmt::format("a machine of {} CPUs is not drawn, but of up to {}",
                                                machine.pus.size(), most_drawn_cpus));
    }
    const int count = members == 0 ? static_cast<int>(machine.pus.size()) : members;
    CpuTree placed(machine, cpus_on(machine, count, placement));
    CpuTree whole(machine, machine.os_indices());
    return {profile, std::move(machine), placement, std::move(placed), std::move(whole)};
}

LevelCaption caption(const MachineDrawing& drawing, int level) {
    const distance::MachineModel& profile = drawing.profile;
    LevelCaption caption{.groups = groups_text(drawing.members, level),
                         .line = "a line: the profile does not say",
                         .ns = 0,
                         .is_estimated = false};
    const std::set<Class> between = classes_between(drawing.members, level);
    if (!std::ranges::all_of(between, [&](Class each) { return profile.has_class(each); })) {
        return caption;
    }
    const distance::LineCosts& furthest = profile.lines_at(*between.rbegin());
    const distance::Number& median = furthest.median_one_way;
    caption.line = between.size() > 1
                       ? fmt::format("a line: {:g} to {:g} ns",
                                     profile.lines_at(*between.begin()).median_one_way.value, median.value)
                       : fmt::format("a line: {:g} ns ({:g} to {:g})", median.value,
                                     furthest.least_one_way.value, furthest.most_one_way.value);
    caption.ns = median.value;
    caption.is_estimated = profile.sources[median.source].origin == distance::Origin::estimated;
    return caption;
}

std::string title(const MachineDrawing& drawing) {
    const std::size_t members = drawing.members.pus.size();
    return fmt::format("{}: {} member{} on {} CPUs, placement {}", drawing.profile.name, members,
                       members == 1 ? "" : "s", drawing.machine.pus.size(),
                       machine::to_string(drawing.placement));
}

std::string machine_text(const MachineDrawing& drawing) {
    const CpuTree& members = drawing.members;
    std::string text = title(drawing) + "\n";
    for (int level = 1; level <= members.tree.last(); ++level) {
        const LevelCaption said = caption(drawing, level);
        text += fmt::format("level {}: {}; {}{}\n", level, said.groups, said.line,
                            said.is_estimated ? ", estimated" : "");
    }
    for (std::size_t rank = 0; rank < members.pus.size(); ++rank) {
        std::vector<std::string> parts;
        for (const PartKind& kind : part_kinds()) {
            if (const int number = members.pus[rank].*kind.number; number >= 0) {
                parts.push_back(fmt::format("{} {}", kind.one, number));
            }
        }
        text += fmt::format("rank {}: {}\n", rank, fmt::join(parts, ", "));
    }
    return text;
}

} // namespace tutti::laboratory
