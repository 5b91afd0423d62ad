#pragma once

#include "call/call_cache.hpp"
#include "hybrid/cluster_call.hpp"
#include "hybrid/process_member.hpp"

#include <cstdint>
#include <exception>
#include <memory>

namespace tutti::inline TUTTI_NAMESPACE::detail {
enum class Leaving : std::uint8_t;
}

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// One member's own part of a cluster: touched only by the thread that sits in it.
class ClusterSeat {
public:
    ClusterSeat(ClusterState& cluster, int rank)
        : cluster_(cluster), knows_leader_(cluster.funneled_thread() != FunneledThread::main_member),
          member_(cluster, rank) {}

    int global_rank() const { return member_.global_rank(); }

    /// The calling thread comes to the seat, or gives it back.
    void sit(tutti::detail::Leaving leaving);
    void rise();

    /// Runs one collective call.
    void run(const tutti::detail::Call& call, const Options& options);
    /// One that has been prepared, on these vectors, if that is the call with this key.
    bool run_again(std::uint64_t key, const void* input, void* output);

    /// An exception ends this member's part.
    void fail(const std::exception_ptr& cause);

private:
    void check_failure();
    /// Gives an exception that ends a call of the cluster the fields of that call.
    void describe(const std::exception_ptr& thrown, const ErrorContext& call) const noexcept;
    ErrorContext context_of(const ClusterCall& call) const;
    ClusterCall& prepare(const tutti::detail::Call& call, const Options& options);
    void run_prepared(ClusterCall& call);
    void enter_call();
    ClusterState::Board& own_board() const { return cluster_.board(member_.rank()); }
    void leave_failed_call(const std::exception_ptr& cause, bool is_first);
    void tell_others(const std::exception_ptr& cause);
    void find_leader();

    ClusterState& cluster_;
    bool knows_leader_;
    tutti::detail::Leaving leaving_{}; // for now
    ProcessMember member_;
    tutti::engine::CallCache<std::unique_ptr<ClusterCall>> calls_;
    /// See find_leader().
    std::unique_ptr<tutti::engine::PreparedCall> search_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
