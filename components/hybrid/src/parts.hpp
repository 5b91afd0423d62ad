#pragma once

#include "group/family.hpp"
#include "immovable.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace tutti::hybrid {
class MpiChannel;
}

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

/// The parts that splits have made of a cluster. They end in an order that all processes have agreed on,
/// because that is collective, and members leave whenever they like.
class Parts : Immovable {
public:
    using State = std::shared_ptr<ClusterState>;

    /// Makes those of a split. By the leader of each process, on the thread that makes MPI calls. Processes
    /// make their communicators in the order of the parts, so that none waits for one that waits for it.
    void make(ClusterState& whole, const std::vector<PartLayout>& parts);
    /// The `index`-th of the last `count`; null if it has no members in this process.
    State last(std::size_t count, std::size_t index) const { return parts_[parts_.size() - count + index]; }

    /// Whether they have no members in this process any more, and have not failed.
    bool have_ended() const;
    /// Closes the parts for which that is so in all processes. Collective over the cluster that has the
    /// channel.
    void close_ended(hybrid::MpiChannel& channel);

    /// They fail with the whole, of which this member has failed. By any thread.
    void fail(int member, const std::exception_ptr& cause) noexcept;

private:
    /// For fail().
    std::mutex mutex_;
    /// As long as they are not closed: the same list in all processes.
    std::vector<State> parts_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
