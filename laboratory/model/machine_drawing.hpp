#pragma once

#include "distance/line_profile.hpp"
#include "graph/level_tree.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::laboratory {

/// A kind of parts to which CPUs belong.
struct PartKind {
    int machine::Pu::*number;
    std::string_view one;
    std::string_view many;
};

/// From sockets to CPUs.
std::span<const PartKind> part_kinds();

/// CPUs, in some order, as a tree of the parts in which they are.
struct CpuTree {
    std::vector<machine::Pu> pus;
    graph::LevelTree tree;

    /// For each level the indices in part_kinds() of those parts that its groups are, outermost first.
    std::vector<std::vector<std::size_t>> kinds;

    CpuTree(const machine::Machine& machine, const std::vector<int>& cpus);
    /// "socket 1, NUMA node 1": a group.
    std::string name_of(int level, int number) const;
};

/// A machine and the members of a group on it.
struct MachineDrawing {
    distance::MachineModel profile;
    machine::Machine machine;
    machine::PlacementRequest placement;
    CpuTree members; ///< by rank, in the tree of levels that a group makes of them
    CpuTree whole;   ///< all CPUs of the machine
};

/// So many members on the machine of a profile; 0 members: as many as it has CPUs. Throws
/// std::invalid_argument where described() or cpus_on() does, and for more than 1024 CPUs.
MachineDrawing machine_drawing(const distance::MachineModel& profile, int members,
                               const machine::PlacementRequest& placement);

/// The caption of a level.
struct LevelCaption {
    std::string groups; ///< "8 L3 caches of 4 members"
    /// "a line: 115 ns (97 to 135)", one way between groups that are in one group of the level before.
    std::string line;
    double ns = 0; ///< the median of the furthest; 0 if unknown
    bool is_estimated = false;
};

/// The caption of a level between 1 and the last.
LevelCaption caption(const MachineDrawing& drawing, int level);

/// "AMD Ryzen 9 7950X (Zen 4, 16 cores): 32 members on 32 CPUs, placement compact".
std::string title(const MachineDrawing& drawing);

/// A line for each level, and one for each member.
std::string machine_text(const MachineDrawing& drawing);

/// The tree of levels and below it the machine, as a self-contained SVG file: sockets, NUMA nodes, L3 caches,
/// cores and CPUs as frames in frames, with the places of members. At most 1200 pixels wide.
std::string machine_svg(const MachineDrawing& drawing);

} // namespace tutti::laboratory
