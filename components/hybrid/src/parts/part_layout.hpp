#pragma once

#include "group/split/choice.hpp"

#include <algorithm>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

class ClusterState;

/// The part of a split's arguments that a member of a cluster shows the others.
struct ShownChoice {
    tutti::detail::Choice choice;
    /// Whether its thread makes the MPI calls of its process.
    bool leads = false;
};

/// The members of a cluster that have chosen one color. The members of a process are consecutive.
struct PartLayout {
    /// Their ranks in the cluster, in the order of the part.
    std::vector<int> mates;
    /// The processes of the cluster that have members in it, in the order of these.
    std::vector<int> processes;
    /// The first member of each of these among the mates, and the end.
    std::vector<int> first_ranks;
    /// Which of the members in each process leads it, among those of the process.
    std::vector<int> leaders;

    /// The place of a process among them.
    int index_of(int process) const {
        return static_cast<int>(std::ranges::find(processes, process) - processes.begin());
    }
    int members_of(int index) const {
        const auto place = static_cast<std::size_t>(index);
        return first_ranks[place + 1] - first_ranks[place];
    }
};

/// The parts, in the order of their colors. Throws ArgumentError if the members of a process would not be
/// consecutive, or could not make their MPI calls: then on all members.
std::vector<PartLayout> parts_of(const std::vector<tutti::detail::Choice>& choices,
                                 const std::vector<bool>& leads, const ClusterState& cluster);

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
