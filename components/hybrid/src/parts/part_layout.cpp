#include "hybrid/src/parts/part_layout.hpp"

#include "hybrid/src/cluster_state.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using tutti::detail::Choice;

namespace {

std::string beginning(const Choice& choice, const PartLayout& part) {
    return std::string(choice.function()) + ": the new cluster of member " +
           std::to_string(part.mates.front());
}

/// Throws if the members of a process are not consecutive.
void divide(PartLayout& part, const Choice& choice, const ClusterState& cluster) {
    for (std::size_t place = 0; place < part.mates.size(); ++place) {
        const int process = cluster.process_of(part.mates[place]);
        if (!part.processes.empty() && part.processes.back() == process) {
            continue;
        }
        if (std::ranges::count(part.processes, process) != 0) {
            throw ArgumentError(beginning(choice, part) + " would have member " +
                                std::to_string(part.mates[place - 1]) + " before member " +
                                std::to_string(part.mates[place]) +
                                ", between members of the latter's process: choose an order in which the "
                                "members of each process are consecutive, such as that of their ranks");
        }
        part.processes.push_back(process);
        part.first_ranks.push_back(static_cast<int>(place));
    }
    part.first_ranks.push_back(static_cast<int>(part.mates.size()));
}

/// Throws if a part of several processes has members in one, but not the one whose thread must make the MPI
/// calls.
void find_leaders(PartLayout& part, const Choice& choice, const std::vector<bool>& leads,
                  const ClusterState& cluster) {
    for (std::size_t process = 0; process < part.processes.size(); ++process) {
        const auto first = part.mates.begin() + part.first_ranks[process];
        const auto end = part.mates.begin() + part.first_ranks[process + 1];
        const auto leader =
            std::find_if(first, end, [&](int rank) { return leads[static_cast<std::size_t>(rank)]; });
        const bool any_may = part.processes.size() == 1 || cluster.any_thread_speaks();
        if (leader == end && !any_may) {
            throw ArgumentError(beginning(choice, part) +
                                " has members in several processes, but in process " +
                                std::to_string(part.processes[process]) +
                                " not the one whose thread makes the MPI calls, as no other thread may below "
                                "MPI_THREAD_MULTIPLE: have this member in it, or ask MPI_Init_thread for "
                                "MPI_THREAD_MULTIPLE");
        }
        part.leaders.push_back(any_may ? 0 : static_cast<int>(leader - first));
    }
}

} // namespace

std::vector<PartLayout> parts_of(const std::vector<Choice>& choices, const std::vector<bool>& leads,
                                 const ClusterState& cluster) {
    std::set<int> colors;
    for (const Choice& choice : choices) {
        if (choice.color) {
            colors.insert(*choice.color);
        }
    }
    std::vector<PartLayout> parts;
    for (const int color : colors) {
        PartLayout& part = parts.emplace_back();
        part.mates = tutti::engine::mates_of(color, choices);
        divide(part, choices.front(), cluster);
        find_leaders(part, choices.front(), leads, cluster);
    }
    return parts;
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
