#include "hybrid/src/cluster_seat.hpp"

#include "machine/process.hpp"

#include <tutti/error.hpp>
#include <tutti/mpi.hpp>

namespace tutti::v0_1::detail {

void ClusterSeat::sit(detail::Leaving leaving) {
    leaving_ = leaving;
    aborted_ = nullptr;
    own_board().thread.store(machine::this_thread(), std::memory_order_relaxed); // for people
    knows_leader_ = cluster_.funneled_thread() != FunneledThread::main_member;
    member_.set_leader(cluster_.leader());
    check_failure({.rank = global_rank()});
    cluster_.group().take_seat(member_.rank());
}

/// Reports the recorded failure, which may be that of the cluster of which this one is a part.
void ClusterSeat::tell_of_failure() {
    try {
        if (const std::exception_ptr first = cluster_.failure().first()) {
            std::rethrow_exception(first);
        }
        cluster_.failure().throw_aborted();
    } catch (...) {
        tell_others(std::current_exception());
    }
}

/// A cluster that has failed stays so; the other processes may not have been notified yet.
void ClusterSeat::check_failure(const ErrorContext& context) {
    if (cluster_.failure().raised()) {
        tell_of_failure();
        try {
            cluster_.failure().throw_aborted();
        } catch (Error& error) {
            library::describe(error, context);
            throw;
        }
    }
}

ErrorContext ClusterSeat::context_of(const detail::Call& call) const {
    return {.rank = global_rank(),
            .collective = call.splits ? std::nullopt : std::optional(call.collective),
            .where = call.where};
}

ErrorContext ClusterSeat::context_of(const ClusterCall& call) const {
    return {.rank = global_rank(),
            .operation = member_.number(),
            .collective = call.call().splits ? std::nullopt : std::optional(call.collective()),
            .where = own_board().called_from.read()};
}

void ClusterSeat::rise() {
    if (runs_operator()) { // to which this returns, and the call then ends with the failure
        cluster_.keep_for_good();
        return fail(
            std::make_exception_ptr(Error("an operator has destroyed the member whose call runs it")));
    }
    cluster_.group().seat(member_.rank()).end_requests();
    if (cluster_.is_part() && cluster_.failure().raised() && cluster_.can_speak()) {
        tell_of_failure(); // the end of a part notifies nobody
    }
    if (leaving_ == detail::Leaving::for_good) {
        cluster_.group().memory().leave_for_good(member_.rank());
    }
    cluster_.group().memory().leave_region(member_.rank());
}

void ClusterSeat::fail(const std::exception_ptr& cause) {
    cluster_.fail(member_.rank(), cause);
    tell_of_failure(); // the first failure is more specific than its consequences
}

/// Sends the failure to the other processes, if this is the thread that may.
void ClusterSeat::tell_others(const std::exception_ptr& cause) {
    if (leads_now()) {
        cluster_.speak_at_end([&] { cluster_.tell_others(cause); });
    }
}

bool ClusterSeat::leads_now() const {
    return knows_leader_ ? member_.leads() : hybrid::is_main_thread();
}

void ClusterSeat::abort(std::string_view text) {
    aborted_ = detail::Seat::exception_of_abort(text, global_rank());
    fail(aborted_);
}

void ClusterSeat::throw_if_aborted() const {
    if (aborted_ != nullptr) {
        std::rethrow_exception(aborted_);
    }
}

bool ClusterSeat::runs_operator() const {
    return is_inside_ || cluster_.group().seat(member_.rank()).runs_operator();
}

void ClusterSeat::require_idle(const detail::Call& call) const {
    if (runs_operator()) {
        throw Error(std::string(to_string(call.collective)) +
                        ": called by an operator, inside another call of the same member: operators must not "
                        "make calls of the cluster that they reduce for",
                    context_of(call));
    }
}

void ClusterSeat::run(const detail::Call& call) {
    require_idle(call);
    check_failure(context_of(call)); // before others see the call, which may be another than theirs
    ClusterCall& made = prepared(call);
    made.begin(call.input, call.output, call.state, call.timeout);
    run_prepared(made);
}

bool ClusterSeat::run_again(std::uint64_t key, const void* input, void* output) {
    ClusterCall* const known =
        is_inside_ || cluster_.failure().raised() ? nullptr : calls_.find(key, input, output);
    if (known == nullptr) {
        return false;
    }
    known->begin(input, output, nullptr, {}); // the library's own operators have no state
    run_prepared(*known);
    return true;
}

void ClusterSeat::run_operator(void (*work)(void*), void* state) {
    try {
        detail::run_operator(cluster_.group().seat(member_.rank()), work, state);
    } catch (...) {
        leave_failed_call(std::current_exception(), true);
        throw;
    }
}

void ClusterSeat::make_parts(const std::vector<PartLayout>& parts) {
    if (member_.leads()) {
        hybrid::require_unfinalised_mpi();
        cluster_.transport().channel().set_progress(&library::ThreadProgress::here());
        cluster_.speak_at_end([&] { cluster_.parts().make(cluster_, parts); });
    }
    member_.meet({});
}

void ClusterSeat::run_prepared(ClusterCall& call) {
    library::ThreadProgress& thread = library::ThreadProgress::here();
    try {
        const library::ThreadProgress::Hold hold(thread); // they may make calls of the cluster
        struct UntilTheEnd {
            bool& is_inside;
            ~UntilTheEnd() { is_inside = false; }
        };
        const UntilTheEnd until_the_end{is_inside_ = true};
        enter_call();
        find_leader();
        call.copy_input();
        call.strategy().fan_in();
        if (call.leads()) {
            call.strategy().exchange();
        }
        call.strategy().fan_out();
    } catch (const Aborted&) {
        // A failure of this process has been recorded by the member that failed, or will be.
        library::describe(std::current_exception(), context_of(call));
        const bool local = cluster_.failure().raised() || cluster_.group().failure().raised();
        leave_failed_call(std::current_exception(), !local);
        throw;
    } catch (...) {
        library::describe(std::current_exception(), context_of(call));
        leave_failed_call(std::current_exception(), true);
        throw;
    }
    // Release: pairs with the look of a member whose call has failed.
    own_board().progress.publish(ClusterState::progress_in(member_.number() + 1));
    if (thread.has_continuations()) {
        thread.call_continuations();
    }
}

ClusterCall& ClusterSeat::prepared(const detail::Call& call) {
    try {
        library::check_given(call);
        if (ClusterCall* const known = calls_.find(call)) {
            return *known;
        }
        auto prepared = calls_.next([this] { return std::make_unique<ClusterCall>(member_); });
        prepared->prepare(call);
        prepared->set_strategy();
        return calls_.put(std::move(prepared));
    } catch (ArgumentError& error) {
        library::describe(error, context_of(call));
        throw; // the member may call again
    } catch (...) {
        fail(std::current_exception());
        throw;
    }
}

/// From here on this member may touch the vectors of the others of its process: see inside_bit.
void ClusterSeat::enter_call() {
    own_board().progress.publish(ClusterState::progress_in(member_.number()) | mailbox::inside_bit);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (cluster_.failure().raised()) {
        cluster_.failure().throw_aborted();
    }
}

/// Nobody of this process touches the member's vectors any more when this returns.
void ClusterSeat::leave_failed_call(const std::exception_ptr& cause, bool is_first) {
    if (is_first) {
        cluster_.fail(member_.rank(), cause);
    }
    tell_others(cause);
    cluster_.leave_failed_call(member_.rank());
}

void ClusterSeat::find_leader() {
    if (knows_leader_) {
        return;
    }
    const std::int64_t mine = hybrid::is_main_thread() ? member_.rank() : -1;
    std::int64_t found = mine;
    if (!member_.is_alone()) {
        member_.run_held(search_, {.collective = Collective::allreduce,
                                   .type = Type::i64,
                                   .op = Operator::max,
                                   .input = &mine,
                                   .output = &found,
                                   .input_count = 1,
                                   .output_count = 1,
                                   .element_bytes = sizeof(mine),
                                   .builtin = &detail::builtin<Type::i64>});
    }
    if (found < 0) {
        throw_no_leader();
    }
    member_.set_leader(static_cast<int>(found));
    knows_leader_ = true;
}

void ClusterSeat::throw_no_leader() {
    throw Error("MPI was initialised for MPI_THREAD_FUNNELED, where only the main thread may make its "
                "calls, but none of this process's members is on it: let it join, or ask "
                "MPI_Init_thread for MPI_THREAD_SERIALIZED");
}

detail::RequestBase& start(ClusterSeat& seat, const detail::Call& call) {
    seat.show_line(call.where);
    return seat.started().begin(call, library::Sequence::nonblocking);
}

detail::PersistentRequestBase& prepare(ClusterSeat& seat, const detail::Call& call) {
    seat.show_line(call.where);
    return seat.started().begin(call, library::Sequence::persistent);
}

void run_operator(ClusterSeat& seat, void (*work)(void*), void* state) {
    seat.run_operator(work, state);
}

bool run_again(ClusterSeat& seat, std::uint64_t key, const void* input, void* output) {
    return seat.run_again(key, input, output);
}

} // namespace tutti::v0_1::detail
