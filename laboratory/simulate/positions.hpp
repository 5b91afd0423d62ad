#pragma once

#include "distance/class.hpp"
#include "distance/groups.hpp"

#include <array>
#include <cstddef>

namespace tutti::simulate {

/// The members' places: for a core, an L3, a node and a socket the number of the one in which each member is,
/// from 0 on.
struct Positions {
    std::array<distance::Groups, distance::class_count - 1> groups;
    /// The size of one L2 cache; 0 if unknown, and then nothing ever falls out of it.
    std::size_t l2_bytes = 0;
    /// The size of one L3 cache; 0 if unknown, and then nothing ever falls out of it.
    std::size_t l3_bytes = 0;

    int members() const { return static_cast<int>(groups.front().size()); }

    const distance::Groups& groups_of(distance::Class part) const {
        return groups[static_cast<std::size_t>(part)];
    }

    /// How far two members are from each other.
    distance::Class between(int one, int other) const {
        std::size_t distance = 0;
        while (distance < groups.size() && groups[distance][static_cast<std::size_t>(one)] !=
                                               groups[distance][static_cast<std::size_t>(other)]) {
            ++distance;
        }
        return distance::all_classes[distance];
    }
};

} // namespace tutti::simulate
