#include "flight/progress_engine.hpp"

#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "mailbox/wait.hpp"
#include "mixed.hpp"
#include "wait/failure.hpp"

#include <tutti/start.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tutti::library {

using detail::Call;

ProgressEngine& ProgressEngine::of(detail::Seat& seat) {
    if (seat.outstanding() == nullptr) {
        try {
            seat.keep(std::make_unique<ProgressEngine>(seat));
        } catch (...) { // there is no memory
            seat.fail(std::current_exception());
            throw;
        }
    }
    return static_cast<ProgressEngine&>(*seat.outstanding()); // the only kind there is
}

ProgressEngine::ProgressEngine(detail::Seat& seat)
    : seat_(seat), group_(seat.group()), rank_(seat.rank()), channels_(group_.memory().channels()),
      recorder_(group_.recorder()) {
    for (std::size_t index = 0; index < turns_.size(); ++index) {
        turns_[index].next = index + 1;
    }
}

bool ProgressEngine::needs_looks() const {
    return std::ranges::any_of(open_, [](const OutstandingCall* operation) {
        return operation->state_ == OutstandingCall::State::queued && operation->gate_ != nullptr &&
               operation->gate_->needs_looks();
    });
}

mailbox::EventCount& ProgressEngine::event() const {
    return channels_.event();
}

const mailbox::WaitPolicy& ProgressEngine::wait_policy() const {
    return group_.wait_policy();
}

mailbox::CpusInSight ProgressEngine::cpus() const {
    return group_.memory().last_cpus().of(rank_);
}

ProgressEngine::~ProgressEngine() {
    orphan_held();
}

/// Throws if the calling thread must not use this member's operations now. If the group has failed, this ends
/// the outstanding ones: when it returns nobody touches their vectors any more.
template <class Context>
void ProgressEngine::require_usable(const char* what, const Context& context) {
    if (seat_.runs_operator()) {
        throw Error(std::string(what) + ": called by an operator: operators must not make calls of the group "
                                        "that they reduce for",
                    {.rank = group_.failure().rank_of(rank_)});
    }
    require_own_thread(what);
    if (group_.failure().raised()) {
        const std::exception_ptr thrown = aborted(context()); // which may be that of an outstanding one
        if (!open_.empty()) {
            fail(aborted(context_of_oldest()));
        }
        std::rethrow_exception(thrown);
    }
}

OutstandingCall& ProgressEngine::start(const Call& call, Gate* gate) {
    require_usable("start", [&] { return context_of(call); });
    OutstandingCall& operation = operation_for(call, gate, Sequence::nonblocking);
    ++calls_.started;
    show(operation);
    calls_.history = mixed(calls_.history + seat_.epoch(), operation.call_.prepared().digests.digest);
    operation.history_ = calls_.history;
    open(operation);
    return operation;
}

OutstandingCall& ProgressEngine::prepare(const Call& call, Gate* gate) {
    require_usable("prepare", [&] { return context_of(call); });
    OutstandingCall& operation = operation_for(call, gate, Sequence::persistent);
    ++calls_.persistent;
    show(operation);
    calls_.persistent_history = mixed(calls_.persistent_history, operation.call_.prepared().digests.digest);
    operation.own_cursor_.history = calls_.persistent_history;
    return operation;
}

void ProgressEngine::restart(OutstandingCall& operation) {
    require_usable("start", [&] { return context_of(operation); });
    if (!operation.is_over() || operation.is_ready_) { // its continuation has yet to be called
        throw Error("start: the operation is still outstanding: wait for it before "
                    "starting it again",
                    context_of(operation));
    }
    calls_.restarts += mixed(~operation.number_, 0); // in whichever order
    is_unseen_ = true;
    channels_.starts(Sequence::persistent, rank_).unseen.put(operation.number_);
    open(operation);
}

void ProgressEngine::restart(OutstandingCall& operation, const Call& call) {
    try {
        operation.gate_ != nullptr ? operation.gate_->require_like(call) : operation.call_.require_like(call);
    } catch (ArgumentError& error) {
        ErrorContext context = context_of(operation);
        context.operation = 0; // it has not begun
        describe(error, context);
        throw;
    }
    if (operation.is_over()) {
        if (operation.gate_ != nullptr) {
            operation.gate_->bind(call.input, call.output);
        } else {
            operation.input_ = call.input;
            operation.output_ = call.output;
        }
    }
    restart(operation);
}

/// The group's failure, as the call or operation with these fields has to report it.
std::exception_ptr ProgressEngine::aborted(const ErrorContext& call) const {
    try {
        group_.failure().throw_aborted();
    } catch (Error& error) {
        describe(error, call);
        return std::current_exception();
    }
}

/// The same if the thread calls functions: also those of the operations that this has ended.
void ProgressEngine::require_progress(const char* what) {
    try {
        require_usable(what, [&] { return context_of_oldest(); });
    } catch (...) {
        if (ready_ != 0 && !seat_.runs_operator() && !is_on_another_thread()) {
            ThreadProgress::here().call_continuations();
        }
        throw;
    }
}

void ProgressEngine::require_own_thread(const char* what) const {
    if (is_on_another_thread()) {
        throw Error(std::string(what) + ": called by another thread while operations of this member are "
                                        "outstanding; only the thread that started them may use the member "
                                        "until they are complete",
                    {.rank = group_.failure().rank_of(rank_)});
    }
}

void ProgressEngine::show(OutstandingCall& operation) {
    channels_.starts(operation.sequence_, rank_)
        .calls.show(operation.number_, operation.call_.signature(),
                    operation.call_.prepared().digests.digest);
}

/// A member that waits in vain reads which members have not looked since they started an operation.
void ProgressEngine::show_look() noexcept {
    if (shown_look_ != calls_.started) {
        shown_look_ = calls_.started;
        channels_.starts(Sequence::nonblocking, rank_).looked.publish(calls_.started); // only people read it
    }
    if (std::exchange(is_unseen_, false)) {
        channels_.starts(Sequence::persistent, rank_).unseen.put(0);
    }
}

void ProgressEngine::test() {
    require_progress("test");
    ThreadProgress::here().progress();
    look_after_now_and_then();
    ThreadProgress::here().call_continuations();
}

/// A thread that tests in a loop must learn, as a waiting thread does, that its operation cannot complete.
void ProgressEngine::look_after_now_and_then() {
    constexpr std::chrono::milliseconds between{1};
    // Some ms behind, but cheap enough to be read in every test.
    const std::chrono::nanoseconds now = coarse_clock_now();
    if (now - looked_after_ > between) {
        looked_after_ = now;
        ThreadProgress::here().look_after(true);
    }
}

void ProgressEngine::wait(Watch& watch, std::chrono::nanoseconds end) {
    require_progress(end == no_end ? "wait" : "wait_for");
    if (recorder_ == nullptr ||
        ThreadProgress::here().waits()) { // a wait that a continuation makes is part of another
        wait_until(watch, end);
        return;
    }
    const RecordedWait recorded(*this, watch);
    wait_until(watch, end);
}

bool ProgressEngine::may_wait() const noexcept {
    return !seat_.runs_operator() && !is_on_another_thread();
}

ProgressEngine::RecordedWait::RecordedWait(const ProgressEngine& member, Watch& watch)
    : member_(member), watch_(watch) {
    watch.recorded_since = ticks();
    ThreadProgress::here().waits(true);
}

ProgressEngine::RecordedWait::~RecordedWait() {
    ThreadProgress::here().waits(false);
    if (!watch_.is_over()) {
        member_.record(watch_, *watch_.operation());
    }
}

void ProgressEngine::record(const Watch& wait, const OutstandingCall& operation) const noexcept {
    const int peer = operation.runner_ ? operation.runner_->peer() : -1;
    operation.flight_.has_waited(recorded(operation), wait.recorded_since, peer);
}

/// The operation is over.
void ProgressEngine::end_watches(OutstandingCall& operation) noexcept {
    for (Watch* watch = std::exchange(operation.watch_, nullptr); watch != nullptr;
         watch = watch->end(operation.failure_)) {
        if (watch->recorded_since != 0) {
            record(*watch, operation);
        }
    }
}

Recorded ProgressEngine::recorded(const OutstandingCall& operation) const {
    return {.record = recorder_->of(rank_),
            .trace = recorder_->trace(),
            .sequence = operation.sequence_,
            .number = recorder_->number_in_all(operation.sequence_, operation.number_),
            .row = operation.call_.signature().row};
}

ErrorContext ProgressEngine::context_of(const OutstandingCall& operation) const {
    if (operation.gate_ != nullptr) {
        return operation.gate_->context();
    }
    return {.rank = rank_,
            .operation = operation.number_,
            .collective = operation.call_.signature().collective(),
            .where = operation.called_from_.read()};
}

ErrorContext ProgressEngine::context_of(const Call& call) const {
    if (group_.failure().is_part()) {
        return {};
    }
    return {.rank = rank_, .collective = call.collective, .where = call.where};
}

ErrorContext ProgressEngine::context_of_oldest() const {
    return open_.empty() ? ErrorContext{.rank = group_.failure().rank_of(rank_)} : context_of(*open_.front());
}

void ProgressEngine::wait_until(Watch& watch, std::chrono::nanoseconds end) {
    look_eagerly(*watch.operation());
    if (!watch.is_over() || thread_->has_continuations()) {
        // After a wait that ends in time the thread may take part in an operation for which another member
        // waits.
        const Watch* const awaited = end == no_end ? &watch : nullptr;
        thread_->progress_until([&watch] { return watch.is_over(); }, "wait", awaited, end);
    }
}

bool ProgressEngine::end() noexcept {
    if (is_on_another_thread()) {
        group_.fail(rank_, std::make_exception_ptr(
                               Error("a member was destroyed by another thread while operations of it "
                                     "were outstanding")));
        return false;
    }
    // A continuation may start another operation. One that is held is called later.
    while (!open_.empty() || (ready_ != 0 && !thread_->holds())) {
        try {
            thread_->progress_until([this] { return open_.empty(); });
        } catch (...) { // recorded: the next call reports it
        }
    }
    if (!ThreadProgress::here().forget(*this)) {
        group_.keep_for_good();
    }
    orphan_held();
    failure_ = nullptr; // an exception ends on the thread that has thrown it
    return true;
}

/// The holder of an operation can then only see that it is over. A function that is held is called later.
void ProgressEngine::orphan_held() noexcept {
    std::erase_if(all_, [this](std::unique_ptr<OutstandingCall>& operation) {
        if (!operation->is_held_ && !operation->is_ready_) {
            return false;
        }
        if (operation->sequence_ == Sequence::persistent) {
            channels_.drop_persistent(operation->number_);
        }
        operation->home_ = nullptr;
        if (operation->gate_ != nullptr) {
            std::exchange(operation->gate_, nullptr)->drop();
        }
        static_cast<void>(operation.release());
        return true;
    });
}

} // namespace tutti::library

namespace tutti::v0_1::detail {

RequestBase& start(Seat& seat, const Call& call) {
    seat.called_from().show(call.where, static_cast<unsigned>(library::Sequence::nonblocking));
    return library::ProgressEngine::of(seat).start(call);
}

PersistentRequestBase& prepare(Seat& seat, const Call& call) {
    seat.called_from().show(call.where, static_cast<unsigned>(library::Sequence::persistent));
    return library::ProgressEngine::of(seat).prepare(call);
}

} // namespace tutti::v0_1::detail
