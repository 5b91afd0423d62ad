#pragma once

#include "hybrid/cluster_call.hpp"
#include "hybrid/crossing.hpp"

#include <tutti/member.hpp>

#include <exception>

namespace tutti::mpi::detail {

/// One member's own part of a cluster: touched only by the thread that sits in it.
class ClusterSeat {
public:
    ClusterSeat(ClusterState& cluster, int rank)
        : cluster_(cluster), rank_(rank), knows_leader_(cluster.speaker() != Speaker::main_member),
          call_(cluster, rank), crossings_(call_) {}

    int global_rank() const { return call_.global_rank(); }

    /// The calling thread comes to the seat, or gives it back.
    void sit(tutti::detail::Leaving leaving);
    void rise();

    /// Runs one collective call.
    void run(const tutti::detail::Call& call, const Options& options);
    /// The one that was prepared last, on these vectors, if that is the call with this key.
    bool run_again(std::uint64_t key, const void* input, void* output);

    /// An exception ends this member's part.
    void fail(const std::exception_ptr& cause);

private:
    void check_failure();
    void prepare(const tutti::detail::Call& call, const Options& options);
    void run_prepared();
    void enter_call();
    void leave_failed_call(const std::exception_ptr& cause, bool is_first);
    void tell_others(const std::exception_ptr& cause);
    void find_leader();

    ClusterState& cluster_;
    int rank_;
    bool knows_leader_;
    tutti::detail::Leaving leaving_ = tutti::detail::Leaving::for_now;
    ClusterCall call_;
    Crossings crossings_;
    /// That of the call which was prepared last.
    Crossing* crossing_ = nullptr;
};

} // namespace tutti::mpi::detail
