#pragma once

#include "immovable.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace tutti::hybrid {
class MpiChannel;
}

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

class ClusterState;
struct PartLayout;

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
