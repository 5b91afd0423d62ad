#include "group/seat.hpp"

#include "group/group_state.hpp"
#include "run/runner.hpp"

#include <algorithm>

namespace tutti::v0_1::detail {

using library::PreparedCall;

ErrorContext Seat::context_of(const Call& call) const {
    if (group_.failure().is_part()) {
        return {};
    }
    return {.rank = rank_,
            .collective = call.splits ? std::nullopt : std::optional(call.collective),
            .where = call.where};
}

ErrorContext Seat::context_of(const PreparedCall& call) const {
    if (group_.failure().is_part()) {
        return {};
    }
    return {.rank = rank_,
            .operation = recorded_.number_at(cursor_.epoch),
            .collective = call.signature().collective(),
            .where = called_from_.read()};
}

template <class Prepare>
PreparedCall& Seat::complete(const Call& asked, Prepare prepare) {
    next_exchange_ = {}; // a new call may be prepared at the address of the one in front
    try {
        PreparedCall& call = prepare();
        bindings_.reserve(call.prepared());
        if (call.copied_bytes() != 0) {
            input_copy_.at_least(call.copied_bytes(), call.element_align());
        }
        call.complete(again_of(call));
        return call;
    } catch (ArgumentError& error) {
        library::describe(error, context_of(asked));
        throw; // the member may call again
    } catch (...) {
        library::describe(std::current_exception(), context_of(asked));
        front_ = nullptr;
        prepared_calls_.clear(); // they share memory that may have been freed for larger memory
        fail(std::current_exception());
        throw;
    }
}

void Seat::record() {
    const run::Prepared& prepared = front_->prepared();
    const std::uint64_t points = prepared.plan->points;
    const bool is_first = recorded_.number() == 0;
    if (!is_first && recorded_digest_ == prepared.digests.digest && recorded_.points() == points) {
        return;
    }
    recorded_ = {is_first ? 1 : recorded_.number_at(cursor_.epoch), cursor_.epoch, points,
                 front_->signature()};
    recorded_digest_ = prepared.digests.digest;
    group_.memory().status(rank_).log.add(recorded_);
}

template <class Observer>
bool Seat::run_prepared(const PreparedCall& call, const void* input, void* output, const void* state,
                        Timeout timeout, const Observer& observer) {
    if (call.copied_bytes() != 0 && input != nullptr) {
        input = std::memcpy(input_copy_.data(), input, call.copied_bytes());
    }
    bindings_.bind(call.prepared(), input, output, state);
    run::Runner<mailbox::Mailbox, run::Compute, Observer> runner(group_.memory().mailbox(), cursor_,
                                                                 call.prepared(), bindings_, observer);
    return run_to_the_end(call, runner, mailbox::eager_looks(group_.wait_policy(), wait_history_), timeout);
}

template <class Runner>
[[gnu::always_inline]] inline bool Seat::run_to_the_end(const PreparedCall& call, Runner& runner, int looks,
                                                        Timeout timeout) {
    try {
        const run::State reached = runner.advance(looks);
        if (reached == run::State::done) {
            return false;
        }
        run_slowly(call, runner, reached, timeout);
        return true;
    } catch (...) {
        fail_call(call, std::current_exception());
        throw;
    }
}

void Seat::fail(const std::exception_ptr& thrown) noexcept {
    group_.fail(rank_, thrown);
}

/// Apart from the runs, which would keep room on their stacks for it.
[[gnu::noinline]] void Seat::fail_call(const PreparedCall& call, const std::exception_ptr& thrown) {
    library::describe(thrown, context_of(call));
    fail(thrown);
    group_.leave_failed_call(rank_);
}

bool Seat::run_recorded(const PreparedCall& prepared, const Call& call) {
    const library::CallSignature& signature = prepared.signature();
    library::OperationRecord record(
        *record_, group_.recorder()->trace(),
        group_.recorder()->number_in_all(library::Sequence::blocking, recorded_.number_at(cursor_.epoch)));
    bool has_waited = false;
    try {
        has_waited = run_prepared(prepared, call.input, call.output, call.state, call.timeout,
                                  library::Observer(record));
    } catch (...) {
        record.fail(signature.row, signature.bytes);
        throw;
    }
    record.end(signature.row, signature.bytes);
    return has_waited;
}

template <class Runner>
[[gnu::noinline]] void Seat::run_slowly(const PreparedCall& call, Runner& runner, run::State state,
                                        Timeout timeout) {
    const OperatorRuns running(*this, true); // one of another member's, whose operations progress meanwhile
    library::WaitTimer waited(timeout.value_or(group_.timeout()));
    while (state != run::State::done) {
        wait(call, runner, state, waited);
        state = runner.advance(mailbox::eager_looks(group_.wait_policy(), wait_history_));
    }
}

template <class Runner>
void Seat::wait(const PreparedCall& call, Runner& runner, run::State state, library::WaitTimer& waited) {
    using library::Sequence;
    if (state == run::State::failed) {
        group_.failure().throw_aborted();
    }
    if (state == run::State::differs) {
        group_.diagnosis().throw_fault({Sequence::blocking, 0, rank_, runner.peer()}, runner.fault(),
                                       call.signature(), call.prepared(), bindings_);
    }
    library::SharedMemory& memory = group_.memory();
    const library::EndOfWait end(memory.status(rank_).wait);
    library::ThreadProgress& thread = library::ThreadProgress::here();
    mailbox::StdWord& progress = memory.board(rank_).progress;
    // Other operations may fail meanwhile: then the thread waits for members that may wait for this one. So
    // the member is not inside its call, and enters it again as Runner::enter_operation() does.
    const auto beside = [&](const auto& look) {
        if (thread.is_empty()) {
            return;
        }
        const std::uint64_t inside = progress.get();
        progress.publish(inside & ~mailbox::inside_bit); // release: pairs with the look of a failing member
        look();
        if (outstanding_ != nullptr && outstanding_->failure() != nullptr) {
            std::rethrow_exception(outstanding_->failure());
        }
        progress.publish(inside);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (group_.failure().raised()) {
            group_.failure().throw_aborted();
        }
    };
    bool is_excused = false;
    const auto is_ready = [&] {
        beside([&] { thread.progress(); });
        return is_excused || runner.is_ready();
    };
    const auto check = [&](bool takes_long) {
        const std::uint64_t number = takes_long ? library::last_blocking(memory, rank_) : 0;
        is_excused = library::check_stalled(group_, Sequence::blocking, rank_, runner, waited,
                                            {.takes_long = takes_long, .number = number, .is_stuck = true});
        beside([&] { thread.look_after(takes_long); });
    };
    mailbox::EventCount& event = memory.board(runner.peer()).event;
    const mailbox::Waiter waiter{wait_history_, memory.last_cpus().of(rank_, runner.peer())};
    if (thread.is_empty()) {
        mailbox::progress_until(is_ready, check, event, group_.wait_policy(), waiter);
    } else {
        library::PolledEventCount polled(event, thread);
        mailbox::progress_until(is_ready, check, polled, group_.wait_policy(), waiter);
    }
    if (is_excused) {
        runner.stop_waiting();
    }
}

void Seat::require_idle(const Call& call) const {
    if (runs_operator_) {
        throw Error(std::string(to_string(call.collective)) +
                        ": called by an operator, inside another call of the same member: operators must not "
                        "make calls of the group that they reduce for",
                    context_of(call));
    }
    try {
        // Before anything is recorded: the log of a failed member ends with the call in which it has failed.
        if (group_.failure().raised()) {
            group_.leave_failed_call(rank_);
            group_.failure().throw_aborted();
        }
        library::check_given(call);
    } catch (Error& error) {
        library::describe(error, context_of(call));
        throw;
    }
}

bool Seat::run(const Call& call) {
    require_idle(call);
    if (explorations_ != nullptr) {
        show_position();
    }
    find_or_prepare(call);
    library::Exploration* const exploration = front_->exploration();
    if (exploration != nullptr && exploration->is_trying()) {
        return try_front(call, *exploration);
    }
    if (exploration == nullptr || exploration->epoch_to_meet() == 0) {
        return make_front(call);
    }
    cursor_.wait_for_all_to_enter(exploration->epoch_to_meet());
    const bool has_waited = make_front(call);
    explorations_->meet(exploration->epoch_to_meet());
    return has_waited;
}

void Seat::find_or_prepare(const Call& call) {
    if (PreparedCall* const known = prepared_calls_.find(call); known != nullptr) {
        if (known->exploration() != nullptr) {
            complete(call, [&]() -> PreparedCall& {
                known->begin_again(call, plans_, *explorations_);
                return *known;
            });
        }
        bring_to_front(known);
        return;
    }
    std::unique_ptr<PreparedCall> made;
    complete(call, [&]() -> PreparedCall& {
        made = prepared_calls_.next([] { return std::make_unique<PreparedCall>(); });
        made->prepare(call, plans_, explorations_.get());
        return *made;
    });
    bring_to_front(&prepared_calls_.put(std::move(made)));
}

bool Seat::try_front(const Call& call, library::Exploration& exploration) {
    const std::chrono::nanoseconds began = library::clock_now();
    const bool has_waited = make_front(call);
    const std::chrono::nanoseconds took = library::clock_now() - began;
    show_position();
    explorations_->end(exploration, took);
    return has_waited;
}

std::unique_ptr<PreparedCall> Seat::hold(const Call& call) {
    require_idle(call);
    std::unique_ptr<PreparedCall> held;
    complete(call, [&]() -> PreparedCall& {
        held = std::make_unique<PreparedCall>();
        held->prepare(call, plans_);
        return *held;
    });
    return held;
}

void Seat::run_held(PreparedCall& held, const Call& call) {
    require_idle(call);
    // However this ends, the member's other calls look for theirs.
    struct Front {
        PreparedCall*& front;
        ~Front() { front = nullptr; }
    };
    const Front until_the_end{front_ = &held};
    make_front(call);
}

bool Seat::make_front(const Call& call) {
    record();
    const PreparedCall& prepared = *front_;
    const bool has_operator = call.kernels != nullptr;
    const OperatorRuns running(*this, has_operator);
    const bool has_waited = record_ != nullptr ? run_recorded(prepared, call)
                                               : run_prepared(prepared, call.input, call.output, call.state,
                                                              call.timeout, run::Unobserved{});
    if (has_operator) {
        try {
            check_aborted();
        } catch (...) {
            fail_call(prepared, std::current_exception());
            throw;
        }
    }
    return has_waited;
}

/// The last act of a call: afterwards the seat may be gone. Returns true.
bool Seat::end_call(bool has_waited) {
    if (has_waited) {
        library::ThreadProgress::here().call_continuations();
    }
    return true;
}

PreparedCall::Again Seat::again_of(const PreparedCall& call) const {
    const run::Prepared& prepared = call.prepared();
    if (record_ != nullptr) {
        return refuse_again;
    }
    if (!prepared.exchanges_words || call.exploration() != nullptr || announces()) {
        return run_plan_again;
    }
    if (!prepared.synchronises) {
        return pass_again;
    }
    return Exchange::has_two_words(prepared) ? exchange_again<true> : exchange_again<false>;
}

/// Saves no registers: the calls that it makes come last.
[[gnu::always_inline]] inline bool Seat::run_again(std::uint64_t key, const void* input, void* output) {
    return front_ != nullptr && front_->serves(key, input, output)
               ? front_->again()(*this, key, input, output)
               : find_again(key, input, output);
}

/// Apart from run_again(), which would save more registers for it.
[[gnu::noinline]] bool Seat::find_again(std::uint64_t key, const void* input, void* output) {
    if (front_ == nullptr || record_ != nullptr || group_.failure().raised()) {
        return false;
    }
    PreparedCall* const known = prepared_calls_.find(key, input, output);
    if (known == nullptr || !known->repeats()) {
        return false;
    }
    bring_to_front(known);
    record();
    return known->exploration() != nullptr ? run_front(input, output)
                                           : known->again()(*this, key, input, output);
}

bool Seat::refuse_again(Seat& /*seat*/, std::uint64_t /*key*/, const void* /*input*/, void* /*output*/) {
    return false;
}

bool Seat::run_plan_again(Seat& seat, std::uint64_t /*key*/, const void* input, void* output) {
    return seat.front_->repeats() && seat.run_front(input, output);
}

[[gnu::noinline]] bool Seat::run_front(const void* input, void* output) {
    return end_call(run_prepared(*front_, input, output, nullptr, {}, run::Unobserved{}));
}

/// Looks for the words of the others for as long as a waiting thread looks first.
template <bool two_words>
[[gnu::always_inline]] inline bool Seat::look_for(const Exchange& exchange, const Exchange::Words& words) {
    if (!exchange.are_there<two_words>(words)) {
        int looks = mailbox::eager_looks(group_.wait_policy(), wait_history_);
        do {
            if (--looks <= 0) {
                return false;
            }
            mailbox::pause();
        } while (!exchange.are_there<two_words>(words));
    }
    return true;
}

/// Needs no registers across a call: those that it makes come last.
template <bool two_words>
bool Seat::exchange_again(Seat& seat, std::uint64_t key, const void* input, void* output) {
    if (announces()) {
        __builtin_unreachable(); // see again_of()
    }
    Exchange& exchange = seat.next_exchange_;
    if (!exchange.is_at(seat.cursor_)) [[unlikely]] {
        return seat.begin_exchange(key, input, output);
    }
    const mailbox::Mailbox& mailbox = seat.group_.memory().mailbox();
    if (mailbox.has_failed()) [[unlikely]] { // first: this may be the member that has failed
        return seat.run_front(input, output);
    }
    const std::uint64_t word = exchange.publish<two_words>(input);
    if (exchange.must_notify()) [[unlikely]] {
        return seat.finish_exchange(word, input, output);
    }
    const auto words = exchange.words();
    exchange.prepare_next(seat.cursor_); // while the words of the others are on their way
    if (!seat.look_for<two_words>(exchange, words)) {
        return seat.finish_exchange(word, input, output);
    }
    seat.cursor_.go_to_next_synchronised(*seat.front_->prepared().plan, mailbox.synchronised_sets());
    // By an operator of the library's: throws nothing.
    exchange.combine<two_words>(words, word, nullptr, input, output);
    return true;
}

/// The same if it does not synchronise, so that its tag depends on the calls since the last that does.
bool Seat::pass_again(Seat& seat, std::uint64_t /*key*/, const void* input, void* output) {
    const mailbox::Mailbox& mailbox = seat.group_.memory().mailbox();
    if (seat.cursor_.must_wait_for_slots || mailbox.has_failed()) [[unlikely]] {
        return seat.run_front(input, output);
    }
    const run::Prepared& prepared = seat.front_->prepared();
    const Exchange exchange(mailbox, seat.cursor_, prepared);
    const std::uint64_t word = exchange.publish(input);
    const Exchange::Words words = exchange.words();
    const bool is_behind = exchange.were_there(words, seat.cursor_.set);
    if (exchange.must_notify() || !(is_behind || seat.look_for<false>(exchange, words))) [[unlikely]] {
        return seat.finish_exchange(word, input, output);
    }
    exchange.combine(words, word, nullptr, input, output);
    seat.cursor_.go_to_next(prepared, mailbox);
    return true;
}

[[gnu::noinline]] bool Seat::begin_exchange(std::uint64_t key, const void* input, void* output) {
    if (cursor_.must_wait_for_slots) {
        return run_front(input, output);
    }
    next_exchange_ = {group_.memory().mailbox(), cursor_, front_->prepared()};
    return front_->again()(*this, key, input, output);
}

/// Apart from exchange_again(), which would save more registers for it.
[[gnu::noinline]] bool Seat::finish_exchange(std::uint64_t word, const void* input, void* output) {
    const PreparedCall& call = *front_;
    bindings_.bind(call.prepared(), input, output, nullptr);
    run::Runner<mailbox::Mailbox> runner(group_.memory().mailbox(), cursor_, call.prepared(), bindings_);
    runner.has_published(word);
    return end_call(run_to_the_end(call, runner, 1, {})); // exchange_again() has looked often
}

void execute(Seat& seat, const Call& call) {
    Seat::end_call(seat.run(call));
}

void run_operator(Seat& seat, void (*work)(void*), void* state) {
    try {
        {
            const Seat::OperatorRuns runs(seat, true);
            work(state);
        }
        seat.check_aborted(); // by the operator
    } catch (...) {
        seat.fail(std::current_exception());
        seat.group().leave_failed_call(seat.rank());
        throw;
    }
}

bool execute_again(Seat& seat, std::uint64_t key, const void* input, void* output) {
    return seat.run_again(key, input, output);
}

} // namespace tutti::v0_1::detail
