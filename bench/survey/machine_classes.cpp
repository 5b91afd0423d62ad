#include "survey/machine_classes.hpp"

#include <algorithm>
#include <limits>

namespace tutti::bench {

namespace {

using distance::Class;
using machine::Pu;

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

} // namespace tutti::bench
