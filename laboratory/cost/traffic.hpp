#pragma once

#include "graph/level_tree.hpp"
#include "schedule/synchronise.hpp"

#include <vector>

namespace tutti::cost {

// The traffic over the borders of groups in a tree of levels (docs/research/traffic.md). A block crosses when
// a member reads it from a vector of another or stores it there. A slot crosses when a member looks at one of
// another: when it waits for a point, and, unless the schedule is eager, when it first needs the other's
// addresses. A member that waits a long time looks at its own copy of the line; that is not counted.

/// Into a group, or out of it.
struct Crossing {
    long blocks = 0;
    long slots = 0;

    friend bool operator==(const Crossing&, const Crossing&) = default;
};

struct Border {
    Crossing in;
    Crossing out;

    friend bool operator==(const Border&, const Border&) = default;
};

/// The borders of all groups of a level.
struct LevelTraffic {
    std::vector<Border> groups;

    /// All that crosses, which goes out of one group and into another.
    Crossing total() const;
    /// The border of the groups with the most of each.
    Border most() const;
};

/// For the levels 1, 2, ... of the tree, the last of which has single members. O(messages + waits) for each
/// member.
std::vector<LevelTraffic> traffic(const schedule::Synchronised& plan, const graph::LevelTree& tree);

/// The cache lines of 64 bytes that a crossing takes with blocks of so many bytes. An eager message travels
/// in the slots as far as it fits into them.
double lines(const Crossing& crossing, schedule::Protocol protocol, double block_bytes);

/// The traffic that must cross: vectors (of the collective's m bytes) into and out of each group, and over
/// all borders together, each time it goes out of one group and into another; and lines, however short the
/// vectors.
struct LeastTraffic {
    std::vector<double> in;
    std::vector<double> out;
    double total = 0;
    long lines = 0;
};

/// For a level of the tree, from 1 on. `root` is the root or the distance.
LeastTraffic least_traffic(Collective collective, const graph::LevelTree& tree, int level, int root);

} // namespace tutti::cost
