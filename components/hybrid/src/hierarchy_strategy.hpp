#pragma once

#include "immovable.hpp"

#include <tutti/version.hpp>

#include <memory>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

class ClusterCall;

/// How the data of a call gets from the members of a process to other processes, and the results back. It is
/// made once, when the call is prepared; every member goes through all three parts.
///
/// - alone: a process's only member, from and to its vectors
/// - leader: members put into the staging buffer, from where one carries
/// - solo: one reads the vectors of all, carries, and stores to them, segment by segment
/// - pipeline: one carries segments while the others put the next and take the last
/// - chain: order serial, from process to process
/// - blocks: members copy the blocks of others of their process, and put the rest into parcels, which one
///   carries
class HierarchyStrategy : Immovable {
public:
    explicit HierarchyStrategy(ClusterCall& call) : call_(call) {}
    virtual ~HierarchyStrategy() = default;

    /// Puts or shows the member's data for others to the leader: all may go on when this has returned.
    virtual void fan_in() = 0;
    /// The leader exchanges it with other processes.
    virtual void exchange() = 0;
    /// Takes the member's part of the received data. Nobody looks at its vectors any more when this returns.
    virtual void fan_out() = 0;

protected:
    ClusterCall& call() const { return call_; }

private:
    ClusterCall& call_;
};

std::unique_ptr<HierarchyStrategy> make_alone(ClusterCall& call);
std::unique_ptr<HierarchyStrategy> make_leader(ClusterCall& call);
std::unique_ptr<HierarchyStrategy> make_solo(ClusterCall& call);
std::unique_ptr<HierarchyStrategy> make_pipeline(ClusterCall& call);
std::unique_ptr<HierarchyStrategy> make_chain(ClusterCall& call);
std::unique_ptr<HierarchyStrategy> make_blocks(ClusterCall& call);

/// The one for a call that is being prepared: the same on all members of a process, and such that what
/// processes choose fits together on the channel.
std::unique_ptr<HierarchyStrategy> make_strategy(ClusterCall& call);

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
