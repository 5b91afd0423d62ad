#include "survey/distances.hpp"

#include "machine/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace tutti::laboratory {

using distance::Class;
using machine::Pu;

namespace {

bool shared(int one, int other) {
    return one == other && one >= 0;
}

/// The CPUs of each group.
std::vector<std::vector<Pu>> members_of(std::span<const Pu> pus, Class distance) {
    const distance::Groups groups = groups_within(pus, distance);
    std::vector<std::vector<Pu>> members(distance::count(groups));
    for (std::size_t at = 0; at < pus.size(); ++at) {
        members[groups[at]].push_back(pus[at]);
    }
    return members;
}

/// Adds at most so many CPUs of a group that are at most so far from each other: of as many parts as they
/// would fill, but of two, so that CPUs so far from each other are among them.
void choose(std::span<const Pu> group, std::size_t distance, std::size_t most, std::vector<Pu>& chosen) {
    if (group.size() <= most || distance == 0) {
        const auto first = group.first(std::min(group.size(), most));
        chosen.insert(chosen.end(), first.begin(), first.end());
        return;
    }
    const auto parts = members_of(group, distance::all_classes[distance - 1]);
    const std::size_t filled = std::max<std::size_t>(most / parts.front().size(), 2);
    const std::size_t count = std::min({filled, parts.size(), most});
    for (std::size_t part = 0; part < count; ++part) {
        choose(parts[part * parts.size() / count], distance - 1, most / count, chosen);
    }
}

using distance::FoundLevel;
using distance::Groups;

constexpr std::array part_names{"cores", "L3 caches", "NUMA nodes", "sockets", "machines"};

/// "0-3; 4-7; ...": the CPUs of the first groups.
std::string listed(std::span<const Pu> pus, const Groups& groups) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t group = 0; group < std::min(distance::count(groups), most); ++group) {
        std::vector<int> numbers;
        for (std::size_t at = 0; at < groups.size(); ++at) {
            if (groups[at] == group) {
                numbers.push_back(pus[at].os_index);
            }
        }
        std::ranges::sort(numbers);
        text += fmt::format("{}{}", group == 0 ? "" : "; ", machine::format_cpu_list(numbers));
    }
    return text + (distance::count(groups) > most ? "; ..." : "");
}

/// Neither each CPU alone nor all of them together.
bool says_something(const Groups& groups) {
    return distance::count(groups) > 1 && distance::count(groups) < groups.size();
}

/// The median of the times inside of groups or between them.
double median_ns(const distance::Matrix& matrix, const Groups& groups, bool inside) {
    std::vector<double> times;
    for (std::size_t one = 0; one < groups.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            if ((groups[one] == groups[other]) == inside) {
                times.push_back(matrix.ns(one, other));
            }
        }
    }
    const auto middle = times.begin() + (std::ssize(times) - 1) / 2;
    std::ranges::nth_element(times, middle);
    return *middle;
}

} // namespace

Class class_of(const Pu& one, const Pu& other) {
    if (shared(one.core, other.core)) {
        return Class::core;
    }
    if (shared(one.l3, other.l3)) {
        return Class::l3;
    }
    if (shared(one.numa, other.numa) && one.package == other.package) {
        return Class::node;
    }
    return one.package == other.package ? Class::socket : Class::link;
}

distance::Groups groups_within(std::span<const Pu> pus, Class distance) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    distance::Groups groups(pus.size(), none);
    std::size_t next = 0;
    for (std::size_t one = 0; one < pus.size(); ++one) {
        if (groups[one] != none) {
            continue;
        }
        groups[one] = next;
        for (std::size_t other = one + 1; other < pus.size(); ++other) {
            if (class_of(pus[one], pus[other]) <= distance) {
                groups[other] = next;
            }
        }
        ++next;
    }
    return groups;
}

std::vector<Pu> cpus_to_compare(const machine::Machine& machine, std::size_t most) {
    std::vector<Pu> chosen;
    choose(machine.pus, distance::class_count - 1, most, chosen);
    return chosen;
}

std::vector<Pu> one_of_each_core(std::span<const Pu> pus) {
    std::vector<Pu> firsts;
    for (const Pu& pu : pus) {
        const bool has_one =
            std::ranges::any_of(firsts, [&](const Pu& first) { return class_of(first, pu) == Class::core; });
        if (!has_one) {
            firsts.push_back(pu);
        }
    }
    return firsts;
}

std::vector<std::string> differences(std::span<const Pu> pus, const distance::Matrix& one_way_ns,
                                     const std::vector<FoundLevel>& found) {
    std::vector<std::string> sentences;
    std::vector<Groups> stated;
    for (const Class each : distance::all_classes) {
        const Groups groups = groups_within(pus, each);
        const bool is_new = std::ranges::find(stated, groups) == stated.end();
        stated.push_back(groups);
        if (is_new && says_something(groups) &&
            std::ranges::find(found, groups, &FoundLevel::groups) == found.end()) {
            sentences.push_back(fmt::format(
                "hwloc's {} {} ({}) do not show as such: a line takes {:.0f} ns "
                "inside of them, {:.0f} ns between them",
                distance::count(groups), part_names[static_cast<std::size_t>(each)], listed(pus, groups),
                median_ns(one_way_ns, groups, true), median_ns(one_way_ns, groups, false)));
        }
    }
    for (const FoundLevel& level : found) {
        if (std::ranges::find(stated, level.groups) == stated.end()) {
            sentences.push_back(fmt::format("hwloc knows nothing of {} groups ({}): a line takes {:.0f} ns "
                                            "inside of them, {:.0f} ns between them",
                                            distance::count(level.groups), listed(pus, level.groups),
                                            level.inside_ns, level.between_ns));
        }
    }
    return sentences;
}

} // namespace tutti::laboratory
