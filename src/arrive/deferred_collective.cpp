#include "arrive/deferred_collective.hpp"

#include "arrive/async_group_state.hpp"
#include "arrive/small.hpp"
#include "mailbox/wait.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <array>
#include <utility>

namespace tutti::arrive {

/// Arrivals whose functions the calling thread is to call. What a function makes ready it leaves to the loop
/// that has called it: a chain of operations, each begun by a function that waits for the one before, would
/// else take up the stack.
class Ready {
public:
    static Ready& here() {
        static thread_local Ready ready;
        return ready;
    }

    void add(Arrival& arrival) {
        arrival.home_->references_.add(1);
        arrivals_.push(arrival);
    }

    /// Whether the calling thread is in one of them.
    bool is_calling() const { return is_calling_; }

    void call_all() noexcept {
        if (std::exchange(is_calling_, true)) {
            return;
        }
        while (!arrivals_.is_empty()) {
            Arrival& arrival = arrivals_.pop();
            detail::Continuation function = arrival.claimed_function();
            const std::exception_ptr failure = arrival.home_->failure();
            arrival.home_->drop(1);
            if (function) {
                function(failure);
            }
        }
        is_calling_ = false;
    }

private:
    IntrusiveQueue<Arrival> arrivals_;
    bool is_calling_ = false;
};

void Arrival::check() const {
    if (home_->failure() != nullptr) {
        std::rethrow_exception(home_->failure());
    }
}

void Arrival::look_at_clock() noexcept {
    if (!is_over() && timeout_.count() != 0) {
        const std::int64_t now = engine::coarse_clock_now().count();
        std::int64_t since = tested_ns_.load(std::memory_order_relaxed);
        if (since == 0) {
            tested_ns_.store(since = now, std::memory_order_relaxed);
        }
        home_->give_up_if_late(rank_, std::chrono::nanoseconds(now - since), timeout_);
    }
}

bool Arrival::test() {
    look_at_clock();
    if (!is_over()) {
        return false;
    }
    check();
    return true;
}

void Arrival::wait() {
    if (!is_over()) {
        home_->wait(rank_, timeout_, engine::no_end);
    }
    check();
}

bool Arrival::wait_for(std::chrono::duration<double> time) {
    if (!test() && time.count() > 0) {
        home_->wait(rank_, timeout_, engine::end_after(time));
        return test();
    }
    return is_over();
}

void Arrival::then(detail::Continuation function) {
    if (std::exchange(takes_no_more_, true)) {
        throw Error("then: this request has a function already; each request accepts one");
    }
    function_ = std::move(function);
    if (handover_.give()) {
        return; // this may be gone
    }
    handover_.give_late();
    Ready::here().add(*this);
    Ready::here().call_all();
}

/// Returns the function that is now to be called. None where the rank has forgotten it meanwhile, on any
/// thread: of that thread and this one only the one that takes the function touches it.
detail::Continuation Arrival::claimed_function() {
    return handover_.take_function() ? std::move(function_) : detail::Continuation();
}

void Arrival::forget() noexcept {
    if (handover_.take_back()) {
        function_ = {};
        takes_no_more_ = false;
    } else {
        // The operation is over. Some thread has yet to come to the function, and finds none: it takes no
        // other one either, since that thread still has this arrival in its queue.
        static_cast<void>(claimed_function());
    }
}

void Arrival::release() noexcept {
    // Else by a copy of a request of C, which is used up. Relaxed: of several threads that use copies at the
    // same time nothing is promised.
    if (!is_released_.load(std::memory_order_relaxed)) {
        is_released_.store(true, std::memory_order_relaxed);
        home_->drop(1);
    }
}

DeferredCollective::DeferredCollective(std::size_t ranks) : contributions_(ranks), arrivals_(ranks) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        arrivals_[rank].home_ = this;
        arrivals_[rank].rank_ = static_cast<int>(rank);
    }
}

void DeferredCollective::open(std::shared_ptr<detail::AsyncGroupState> home, std::uint64_t number,
                              std::size_t references) {
    home_ = std::move(home);
    number_ = number;
    failure_ = nullptr;
    // Relaxed: who opens it shows it to others by a release of the one before.
    phase_.store(Phase::gathering, std::memory_order_relaxed);
    next_.store(nullptr, std::memory_order_relaxed);
    arrived_.set(0);
    references_.set(references);
    for (Arrival& arrival : arrivals_) {
        arrival.handover_.open();
        arrival.takes_no_more_ = false;
        arrival.is_released_.store(false, std::memory_order_relaxed);
        arrival.tested_ns_.store(0, std::memory_order_relaxed); // as above
    }
}

void DeferredCollective::arrive() noexcept {
    // The last one sees the contributions of all, and what their vectors hold.
    const std::size_t arrived = arrived_.up();
    if (arrived == contributions_.size()) {
        execute();
    } else if (arrived == StdCount::closed + contributions_.size()) {
        drop_operators(); // when no rank brings one any more
    }
}

/// If all ranks make a call of one key, each of which has been checked: see arrive::execute_small.
bool DeferredCollective::execute_small() noexcept {
    const AsyncGroupOptions& options = home_->options();
    const std::uint64_t key = contributions_.front().repeated.key();
    if (key == engine::RepeatedCall::no_key || contributions_.size() > most_small_ranks ||
        (options.executor && options.slice_bytes != 0)) {
        return false;
    }
    std::array<const void*, most_small_ranks> inputs;
    std::array<void*, most_small_ranks> outputs;
    for (std::size_t rank = 0; rank < contributions_.size(); ++rank) {
        const Contribution& each = contributions_[rank];
        if (!each.repeated.has(key)) {
            return false;
        }
        inputs[rank] = each.call.input;
        outputs[rank] = each.call.output;
    }
    const detail::Key call(key);
    if (call.collective == Collective::reduce) {
        outputs.front() = outputs[static_cast<std::size_t>(call.root)];
    }
    return arrive::execute_small(call, {inputs.data(), outputs.data(), contributions_.size()});
}

void DeferredCollective::execute() noexcept {
    if (execute_small()) {
        return end(nullptr); // no rank has brought an operator
    }
    const AsyncGroupOptions& options = home_->options();
    Task task;
    try {
        task = task_of(contributions_, number_, options.executor ? home_->cpus() : 1);
    } catch (...) {
        return finished(std::current_exception());
    }
    // Owns nothing: the operation refers to itself until it is over.
    arrive::execute(std::move(task), options.executor, options.slice_bytes,
                    std::shared_ptr<Completion>(std::shared_ptr<void>(), this));
}

void DeferredCollective::wait(int rank, std::chrono::milliseconds timeout,
                              std::chrono::nanoseconds end) noexcept {
    engine::WaitTimer waited(timeout);
    const engine::EndOfWait end_of_wait(home_->shown_wait(rank));
    const bool has_end = end != engine::no_end;
    const auto is_late = [&] { return has_end && engine::clock_now() >= end; };
    const auto check = [&](bool takes_long) {
        if (has_end) { // this wait may be one of many, each shorter than the timeout
            arrival(rank).look_at_clock();
        }
        if (takes_long && phase_.load(std::memory_order_relaxed) == Phase::gathering) {
            if (!home_->process().is_here()) {
                return end_elsewhere();
            }
            waited.look();
            home_->show_wait(rank, number_, waited.since());
            if (waited.is_over()) {
                give_up(rank, timeout);
            }
        }
    };
    // Acquire: pairs with reach(). The slices are there; or the results, or the failure.
    for (Phase phase = phase_.load(std::memory_order_acquire); phase != Phase::over && !is_late();) {
        if (phase == Phase::shared_out) {
            slices_->run_unbegun();
        }
        const Phase seen = phase;
        const auto is_further = [&] {
            return (phase = phase_.load(std::memory_order_acquire)) != seen || is_late();
        };
        if (!has_end && (timeout.count() == 0 || seen != Phase::gathering)) {
            mailbox::progress_until(is_further, check, event_, home_->wait_policy(), home_->waiter(rank));
        } else {
            mailbox::TimedEventCount timed(event_);
            engine::EndingEventCount event(timed, end);
            mailbox::progress_until(is_further, check, event, home_->wait_policy(), home_->waiter(rank));
        }
    }
}

void DeferredCollective::give_up_if_late(int rank, std::chrono::nanoseconds waited,
                                         std::chrono::milliseconds timeout) noexcept {
    if (std::chrono::duration_cast<std::chrono::milliseconds>(waited) >= timeout &&
        phase_.load(std::memory_order_relaxed) == Phase::gathering) {
        give_up(rank, timeout);
    }
}

void DeferredCollective::give_up(int rank, std::chrono::milliseconds timeout) noexcept {
    std::exception_ptr failure;
    try {
        failure = std::make_exception_ptr(home_->delay(number_, rank, timeout, contribution(rank)));
    } catch (...) { // there is no memory
        failure = std::current_exception();
    }
    end_early(std::move(failure));
}

void DeferredCollective::end_elsewhere() noexcept {
    std::exception_ptr failure;
    try {
        home_->process().require("the async group");
    } catch (...) {
        failure = std::current_exception();
    }
    end_early(std::move(failure));
}

void DeferredCollective::end_early(std::exception_ptr failure) noexcept {
    // Of the last rank, those that give up and the end of the async group, one only may end the operation:
    // the one that changes the count first.
    if (arrived_.close(contributions_.size())) {
        end(std::move(failure)); // drop() drops the operators: ranks that are late may still bring some
    }
}

void DeferredCollective::reach(Phase phase) noexcept {
    phase_.store(phase, std::memory_order_release); // release: pairs with wait()
    event_.notify_if_needed();
}

void DeferredCollective::shared_out(std::shared_ptr<Slices> slices) noexcept {
    slices_ = std::move(slices);
    reach(Phase::shared_out);
}

void DeferredCollective::drop_operators() noexcept {
    for (Contribution& contribution : contributions_) {
        contribution.kept.drop();
    }
}

void DeferredCollective::finished(std::exception_ptr failure) noexcept {
    drop_operators();
    end(std::move(failure));
}

void DeferredCollective::end(std::exception_ptr failure) noexcept {
    failure_ = std::move(failure);
    Ready& ready = Ready::here();
    for (Arrival& arrival : arrivals_) {
        if (arrival.handover_.complete()) {
            ready.add(arrival);
        }
    }
    reach(Phase::over); // when all requests say so
    drop(1);
    ready.call_all();
}

void DeferredCollective::drop(std::size_t references) noexcept {
    // The last one sees that all others are done with it.
    if (references_.down(references) == 0) {
        const std::shared_ptr<detail::AsyncGroupState> home = std::move(home_);
        if (failure_ != nullptr) { // it may have been given up, before some brought theirs
            drop_operators();
        }
        slices_ = nullptr;
        failure_ = nullptr;
        home->give_back(*this);
    }
}

} // namespace tutti::arrive

void tutti::detail::require_movable_stack() {
    if (arrive::Ready::here().is_calling()) {
        throw Error("a task cannot be suspended inside a function that was passed to "
                    "then(), or inside a coroutine that resumes there: other threads "
                    "wait for it to return");
    }
}
