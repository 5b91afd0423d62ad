#include "tasks/src/deferred_collective.hpp"

#include "tasks/src/async_group_state.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace tutti::tasks {

/// The arrivals whose functions the calling thread is to call. If a function makes further ones ready, it
/// leaves them to the loop that has called it: otherwise a chain of operations, each begun by a function that
/// waits for the one before, would use up the stack.
class Ready {
public:
    static Ready& here() {
        static thread_local Ready ready;
        return ready;
    }

    void add(Arrival& arrival) {
        arrival.home_->hold();
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
            arrival.home_->let_go();
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
        const std::int64_t now = library::coarse_clock_now().count();
        std::int64_t since = tested_ns_.load(std::memory_order_relaxed);
        if (since == 0) {
            tested_ns_.store(since = now, std::memory_order_relaxed);
        }
        home_->give_up_if_late(*this, std::chrono::nanoseconds(now - since));
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
        home_->wait(*this, library::no_end);
    }
    check();
}

bool Arrival::wait_for(std::chrono::duration<double> time) {
    if (!test() && time.count() > 0) {
        home_->wait(*this, library::end_after(time));
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

/// Returns the function that is now to be called. None if the rank has forgotten it meanwhile, on any
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
    // Else by a copy of a request of C that is used up, before the rank's next call. Later nothing is
    // promised, nor to several threads that use copies at the same time.
    if (!released_.is_set(handover_.number())) {
        home_->release(*this);
    }
}

DeferredCollective::DeferredCollective(detail::AsyncGroupState& home, std::size_t ranks)
    : home_(&home), contributions_(ranks), arrivals_(ranks) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        arrivals_[rank].home_ = this;
        arrivals_[rank].rank_ = static_cast<int>(rank);
    }
}

void DeferredCollective::open(std::uint64_t number) noexcept {
    number_ = number;
    if (failure_ != nullptr) {
        failure_ = nullptr;
    }
    if (slices_ != nullptr) {
        slices_ = nullptr;
        is_shared_out_.store(false, std::memory_order_relaxed);
    }
    // Relaxed: the rank that opens it shows it to others by a release of the one before.
    next_.store(nullptr, std::memory_order_relaxed);
    arrived_.set(0);
}

bool DeferredCollective::is_free() const noexcept {
    // The marks first: each thread that holds it began to before its own mark, or before another let go.
    const bool is_left = std::ranges::all_of(arrivals_, [this](const Arrival& arrival) {
        return arrival.left_.is(number_) && arrival.released_.is(number_);
    });
    return is_left && holds_.is_zero();
}

void DeferredCollective::hold() noexcept {
    holds_.add(1);
    home_->hold();
}

void DeferredCollective::let_go() noexcept {
    detail::AsyncGroupState& home = *home_;
    holds_.down(1);
    home.let_go();
}

void DeferredCollective::release(Arrival& arrival) noexcept {
    detail::AsyncGroupState& home = *home_;
    const int rank = arrival.rank_;
    if (!arrival.takes_no_more_ && !arrival.is_over()) {
        home.report_dropped(number_, rank, contribution(rank)); // while the request keeps both
    }
    arrival.released_.set(arrival.handover_.number()); // from here on it may be that of another one
    home.release(rank);
}

detail::RequestBase& DeferredCollective::arrive(int rank, std::uint64_t number,
                                                std::chrono::milliseconds timeout) noexcept {
    Arrival& arrival = arrivals_[static_cast<std::size_t>(rank)];
    arrival.handover_.open(number);
    arrival.takes_no_more_ = false;
    arrival.timeout_ = timeout;
    arrival.tested_ns_.store(0, std::memory_order_relaxed); // for this thread
    // The last one sees the contributions of all, and the contents of their vectors.
    const std::size_t arrived = arrived_.up();
    if (arrived == contributions_.size()) {
        execute();
    } else if (arrived == StdCount::closed + contributions_.size()) {
        drop_operators(); // when no rank brings one any more
    }
    return arrival;
}

/// If all ranks make a call of one key, each of which has been checked: see tasks::execute_small.
bool DeferredCollective::execute_small() noexcept {
    const AsyncGroupOptions& options = home_->options();
    const std::uint64_t key = contributions_.front().repeated.key();
    if (key == library::RepeatedCall::no_key || contributions_.size() > most_small_ranks ||
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
    const detail::Call call = detail::call_of(key);
    if (call.collective == Collective::reduce) {
        outputs.front() = outputs[static_cast<std::size_t>(call.root)];
    }
    return tasks::execute_small(key, contributions_.front().call.builtin,
                                {inputs.data(), outputs.data(), contributions_.size()});
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
    // Owns nothing: the rank that is arriving refers to the operation, or else it is held until it is over.
    tasks::execute(std::move(task), options.executor, options.slice_bytes,
                   std::shared_ptr<Completion>(std::shared_ptr<void>(), this));
}

namespace {

/// Sleeps until an operation ends for a rank, or is shared out.
class EndOfOperation {
public:
    EndOfOperation(Handover& handover, mailbox::FutexCounter& event, bool is_bounded)
        : handover_(handover), event_(event), is_bounded_(is_bounded) {}

    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        const std::uint32_t seen = event_.seen();
        if (handover_.announce_sleep() && !ready()) {
            event_.sleep(seen, is_bounded_ ? bound_ns : std::numeric_limits<std::int64_t>::max());
        }
    }

private:
    Handover& handover_;
    mailbox::FutexCounter& event_;
    /// A thread that has to look at a clock sleeps as long as its wait permits, others for good: none misses
    /// the end.
    bool is_bounded_;
};

} // namespace

void DeferredCollective::wait(Arrival& waiting, std::chrono::nanoseconds end) noexcept {
    const int rank = waiting.rank_;
    library::WaitTimer waited(waiting.timeout_);
    const library::EndOfWait end_of_wait(home_->shown_wait(rank));
    const bool has_end = end != library::no_end;
    // Acquire: pairs with shared_out(). The slices are there.
    const auto is_shared_out = [this] { return is_shared_out_.load(std::memory_order_acquire); };
    const auto is_done = [&] { return waiting.is_over() || (has_end && library::clock_now() >= end); };
    const auto check = [&](bool takes_long) {
        if (has_end) { // this wait may be one of many, each shorter than the timeout
            waiting.look_at_clock();
        }
        if (takes_long && !waiting.is_over() && !is_shared_out()) {
            if (!home_->process().is_here()) {
                return end_elsewhere();
            }
            waited.look();
            home_->show_wait(rank, waiting.handover_.number(), waited.since());
            if (waited.is_over()) {
                give_up(waiting);
            }
        }
    };
    for (bool helps = false; !is_done(); helps = true) {
        if (helps) {
            slices_->run_unbegun();
        }
        const bool is_bounded = has_end || (waiting.timeout_.count() != 0 && !helps);
        EndOfOperation event(waiting.handover_, end_event_, is_bounded);
        library::EndingEventCount ending(event, end);
        mailbox::progress_until([&] { return is_done() || (!helps && is_shared_out()); }, check, ending,
                                home_->wait_policy(), home_->waiter(rank));
    }
}

void DeferredCollective::give_up_if_late(const Arrival& waiting, std::chrono::nanoseconds waited) noexcept {
    if (std::chrono::duration_cast<std::chrono::milliseconds>(waited) >= waiting.timeout_ &&
        !is_shared_out_.load(std::memory_order_relaxed)) {
        give_up(waiting);
    }
}

void DeferredCollective::give_up(const Arrival& waiting) noexcept try {
    throw home_->delay(number_, waiting.rank_, waiting.timeout_, contribution(waiting.rank_));
} catch (...) { // also if there is no memory
    end_early(std::current_exception());
}

void DeferredCollective::end_elsewhere() noexcept try {
    home_->process().require("the async group");
} catch (...) {
    end_early(std::current_exception());
}

void DeferredCollective::end_early(std::exception_ptr failure) noexcept {
    // Only one may end the operation among the last rank, those that give up and the end of the async group:
    // the one that changes the count first.
    if (arrived_.close(contributions_.size())) {
        end(std::move(failure)); // ranks that are late may still bring operators
    }
}

void DeferredCollective::close(std::exception_ptr failure) noexcept {
    end_early(std::move(failure));
    drop_operators();
}

void DeferredCollective::shared_out(std::shared_ptr<Slices> slices) noexcept {
    hold(); // until it is finished
    slices_ = std::move(slices);
    is_shared_out_.store(true, std::memory_order_release); // pairs with wait()
    end_event_.notify();
}

void DeferredCollective::drop_operators() noexcept {
    for (Contribution& contribution : contributions_) {
        contribution.kept.drop();
    }
}

void DeferredCollective::finished(std::exception_ptr failure) noexcept {
    const bool is_held = slices_ != nullptr;
    drop_operators();
    end(std::move(failure));
    if (is_held) {
        let_go();
    }
}

void DeferredCollective::end(std::exception_ptr failure) noexcept {
    if (failure != nullptr) {
        failure_ = std::move(failure);
    }
    Ready& ready = Ready::here();
    bool somebody_sleeps = false;
    const std::uint64_t number = number_;
    for (Arrival& arrival : arrivals_) {
        const Handover::Completed completed = arrival.handover_.complete(number);
        somebody_sleeps |= completed.sleeps;
        if (completed.has_function) {
            ready.add(arrival);
        }
    }
    if (somebody_sleeps) {
        end_event_.notify();
    }
    ready.call_all();
}

} // namespace tutti::tasks

void tutti::detail::require_movable_stack() {
    if (tasks::Ready::here().is_calling()) {
        throw Error("a task cannot be suspended inside a function that was passed to "
                    "then(), or inside a coroutine that resumes there: other threads "
                    "wait for it to return");
    }
}
