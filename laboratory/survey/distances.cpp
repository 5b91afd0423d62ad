#include "survey/distances.hpp"

#include <limits>

namespace tutti::laboratory {

using distance::Class;
using machine::Pu;

namespace {

bool shared(int one, int other) {
    return one == other && one >= 0;
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

} // namespace tutti::laboratory
