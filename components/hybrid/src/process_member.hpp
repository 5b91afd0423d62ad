#pragma once

#include "cache_line.hpp"
#include "call/prepared_call.hpp"
#include "hybrid/src/cluster_state.hpp"

#include <tutti/detail/call.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// One member of a process, whichever call of the cluster it makes.
class ProcessMember {
public:
    ProcessMember(ClusterState& cluster, int rank) : cluster_(cluster), rank_(rank) {}

    ClusterState& cluster() const { return cluster_; }
    /// This member's rank in its process, that of the process's member 0, and this member's own.
    int rank() const { return rank_; }
    int first_member() const { return cluster_.first_rank(cluster_.process()); }
    int global_rank() const { return first_member() + rank_; }
    bool is_alone() const { return cluster_.members() == 1; }

    /// The member that makes MPI calls for all of the process.
    int leader() const { return leader_; }
    void set_leader(int leader) { leader_ = leader; }
    bool leads() const { return rank_ == leader_; }

    /// How many calls of the cluster there have been, the current one included.
    std::uint64_t number() const { return number_; }
    void begin(const tutti::engine::CallSignature& call_signature, std::uint64_t digest) {
        cluster_.show_call(rank_, ++number_, call_signature, digest);
    }

    /// Runs a call of the members of the process, which is held from the first time on: see Seat::run_held.
    void run_held(std::unique_ptr<tutti::engine::PreparedCall>& held, tutti::detail::Call call);
    /// Returns when all members of the process have come.
    void meet(Timeout timeout);
    /// Whether the staging buffers must become larger for this member. All of the process want the same.
    bool wants_room(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment);
    /// Makes them so large, if this member leads. While nobody uses them.
    void enlarge();

private:
    ClusterState& cluster_;
    int rank_;
    int leader_ = 0;
    std::uint64_t number_ = 0;
    std::unique_ptr<tutti::engine::PreparedCall> meeting_;
    std::size_t input_room_ = 0;
    std::size_t output_room_ = 0;
    std::size_t room_align_ = line_bytes;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
