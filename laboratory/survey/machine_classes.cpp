#include "survey/machine_classes.hpp"

#include "survey/distances.hpp"

#include <algorithm>

namespace tutti::laboratory {

namespace {

using distance::Class;
using machine::Pu;

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

} // namespace

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

} // namespace tutti::laboratory
