#include "hybrid/cluster_seat.hpp"

#include "group/seat.hpp"
#include "machine/thread_state.hpp"

#include <tutti/error.hpp>

namespace tutti::mpi::detail {

void ClusterSeat::sit(tutti::detail::Leaving leaving) {
    leaving_ = leaving;
    cluster_.board(rank_).thread.store(machine::this_thread(), std::memory_order_relaxed); // for people
    knows_leader_ = cluster_.speaker() != Speaker::main_member;
    call_.set_leader(0);
    check_failure();
    cluster_.put_group()->take_seat(rank_);
    try {
        cluster_.take_group()->take_seat(rank_);
    } catch (...) {
        cluster_.put_group()->leave_seat(rank_);
        throw;
    }
}

/// A cluster that has failed stays so; the other processes may not know yet.
void ClusterSeat::check_failure() {
    if (cluster_.failure().raised()) {
        tell_others(cluster_.failure().first());
        cluster_.failure().throw_aborted();
    }
}

void ClusterSeat::rise() {
    for (auto* group : {cluster_.put_group().get(), cluster_.take_group().get()}) {
        if (leaving_ == tutti::detail::Leaving::for_good) {
            group->leave_for_good(rank_);
        }
        group->leave_seat(rank_);
    }
}

void ClusterSeat::fail(const std::exception_ptr& cause) {
    cluster_.fail(rank_, cause);
    tell_others(cause);
}

/// Lets the other processes know, if this is the thread that may.
void ClusterSeat::tell_others(const std::exception_ptr& cause) {
    int is_main = 0;
    if (knows_leader_ ? call_.leads() : MPI_Is_thread_main(&is_main) == MPI_SUCCESS && is_main != 0) {
        call_.speak_at_end([&] { cluster_.tell_others(cause); });
    }
}

void ClusterSeat::run(const tutti::detail::Call& call, const Options& options) {
    if (!call_.is_prepared_for(call, options)) {
        prepare(call, options);
    }
    call_.set_vectors(call.input, call.output, call.state);
    run_prepared();
}

bool ClusterSeat::run_again(std::uint64_t key, const void* input, void* output) {
    const bool serves = call_.serves_again(key, input, output);
    if (serves) {
        run_prepared();
    }
    return serves;
}

void ClusterSeat::run_prepared() {
    call_.begin();
    try {
        enter_call();
        find_leader();
        crossing_->put();
        crossing_->carry();
        crossing_->take();
    } catch (const Aborted&) {
        // One that comes from this process has been recorded by whoever failed, or will be.
        const bool local = cluster_.failure().raised() || cluster_.put_group()->failure().raised() ||
                           cluster_.take_group()->failure().raised();
        leave_failed_call(std::current_exception(), !local);
        throw;
    } catch (...) {
        leave_failed_call(std::current_exception(), true);
        throw;
    }
    // Release: pairs with the look of a member whose call has failed.
    cluster_.board(rank_).progress.publish(ClusterState::progress_in(call_.number() + 1, 0));
}

void ClusterSeat::prepare(const tutti::detail::Call& call, const Options& options) {
    try {
        call_.prepare(call, options);
        crossing_ = &choose_crossing(crossings_, call_);
        crossing_->prepare();
    } catch (const ArgumentError&) {
        throw; // the member may call again
    } catch (...) {
        call_.forget();
        fail(std::current_exception());
        throw;
    }
}

/// From here on this member may touch the vectors of the others of its process: see inside_bit.
void ClusterSeat::enter_call() {
    cluster_.board(rank_).progress.publish(ClusterState::progress_in(call_.number(), 0) |
                                           mailbox::inside_bit);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (cluster_.failure().raised()) {
        cluster_.failure().throw_aborted();
    }
}

/// Nobody of this process touches the member's vectors any more when this returns.
void ClusterSeat::leave_failed_call(const std::exception_ptr& cause, bool is_first) {
    if (is_first) {
        cluster_.fail(rank_, cause);
    }
    tell_others(cause);
    cluster_.leave_failed_call(rank_);
}

void ClusterSeat::find_leader() {
    if (knows_leader_) {
        return;
    }
    int is_main = 0;
    hybrid::check(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
    const std::int64_t mine = is_main != 0 ? rank_ : -1;
    std::int64_t found = mine;
    if (!call_.is_alone()) {
        tutti::detail::execute(cluster_.put_group()->seat(rank_), {.collective = Collective::allreduce,
                                                                   .type = Type::i64,
                                                                   .op = Operator::max,
                                                                   .input = &mine,
                                                                   .output = &found,
                                                                   .input_count = 1,
                                                                   .output_count = 1,
                                                                   .element_bytes = sizeof(mine)});
    }
    if (found < 0) {
        throw ArgumentError(
            "MPI was initialised for MPI_THREAD_FUNNELED, where only the main thread may make its "
            "calls, but none of this process's members is on it: let it join, or ask "
            "MPI_Init_thread for MPI_THREAD_SERIALIZED");
    }
    call_.set_leader(static_cast<int>(found));
    knows_leader_ = true;
}

bool run_again(ClusterSeat& seat, std::uint64_t key, const void* input, void* output) {
    return seat.run_again(key, input, output);
}

} // namespace tutti::mpi::detail
