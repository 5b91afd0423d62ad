// The progress and the end of a member's outstanding operations.

#include "flight/progress_engine.hpp"
#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "wait/failure.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tutti::library {

namespace {

/// A member's operations may touch the vectors of others as long as it is marked to be inside, as in a call
/// that blocks: a failing member waits for that, and not for a member that computes.
class Inside : Immovable {
public:
    Inside(mailbox::Board& own, bool& mark)
        : progress_(own.progress), before_(progress_.get()), mark_(mark),
          mark_before_(std::exchange(mark, true)) {
        // Release: pairs with the look of a member that fails, which makes this visible itself. The compiler
        // must keep the order: either this member sees the failure, or the one that fails sees this member.
        progress_.publish(before_ | mailbox::inside_bit);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Inside() {
        progress_.publish(before_); // release: pairs with the same look
        mark_ = mark_before_;
    }

private:
    mailbox::StdWord& progress_;
    std::uint64_t before_;
    bool& mark_;
    bool mark_before_;
};

} // namespace

template <class Go>
void ProgressEngine::go_on(Go go) {
    try {
        const Inside inside(group_.memory().board(rank_), are_looked_at_);
        if (group_.failure().raised()) {
            group_.failure().throw_aborted();
        }
        go();
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        describe(thrown, context_of_oldest());
        fail(thrown != nullptr ? thrown : thread_end());
        if (thrown == nullptr) { // nobody may stop the end of a thread
            throw;
        }
    }
}

/// Puts an operation into flight, and goes as far with it as that goes without waiting.
void ProgressEngine::open(OutstandingCall& operation) {
    operation.state_ = OutstandingCall::State::queued;
    operation.is_excused_ = false;
    if (recorder_ != nullptr) {
        operation.flight_.begin();
    }
    if (operation.gate_ == nullptr && has_turn(operation)) {
        begin(operation);
        // Other work waits until the word is on its way.
        if (operation.is_quiet_ && look(operation, 1)) {
            return;
        }
    }
    enlist(operation);
    if (operation.gate_ != nullptr) {
        operation.gate_->start();
        progress(); // those before it come first
    } else if (operation.state_ == OutstandingCall::State::running && !operation.is_quiet_) {
        go_on([&] { advance(operation, 1); });
    }
    if (operation.state_ == OutstandingCall::State::failed) { // the caller never gets it
        const std::exception_ptr failure = operation.failure_;
        if (operation.sequence_ == Sequence::nonblocking) {
            recycle(operation); // nobody will refer to it
        }
        std::rethrow_exception(failure);
    }
}

void ProgressEngine::enlist(OutstandingCall& operation) {
    if (open_.empty()) {
        be_on_this_thread();
        thread_->add(*this);
    }
    open_.push_back(&operation);
}

bool ProgressEngine::has_turn(const OutstandingCall& operation) {
    if (operation.sequence_ == Sequence::persistent) {
        return true;
    }
    const Turn& turn = turn_of(operation);
    return !turn.is_taken && turn.next == operation.number_;
}

void ProgressEngine::begin(OutstandingCall& operation) {
    const run::Prepared& prepared = operation.call_.prepared();
    if (operation.sequence_ == Sequence::nonblocking) {
        turn_of(operation).is_taken = true;
        operation.cursor_->history = operation.history_;
    }
    const void* input = operation.input_;
    if (operation.call_.copied_bytes() != 0 && input != nullptr) {
        input = std::memcpy(operation.input_copy_.data(), input, operation.call_.copied_bytes());
    }
    operation.bindings_.bind(prepared, input, operation.output_, operation.operator_.data());
    operation.runner_.emplace(operation.channel_->mailbox(), *operation.cursor_, prepared,
                              operation.bindings_);
    operation.waited_ = WaitTimer(operation.timeout_.value_or(group_.timeout()));
    operation.state_ = OutstandingCall::State::running;
}

/// Mostly all members are in the call, and the awaited word is about to come.
void ProgressEngine::look_eagerly(OutstandingCall& operation) {
    const int looks = mailbox::eager_looks(group_.wait_policy(), ThreadProgress::here().wait_history());
    if (operation.is_quiet_ && operation.state_ == OutstandingCall::State::running &&
        look(operation, looks)) {
        remove(operation);
    } else if (operation.state_ == OutstandingCall::State::running) {
        go_on([&] { advance(operation, looks); });
    }
}

/// Looks for the words for which a quiet operation waits. Returns whether it is complete. Faults are found
/// when it is advanced.
bool ProgressEngine::look(OutstandingCall& operation, int looks) {
    if (operation.runner_->advance(looks) != run::State::done) {
        return false;
    }
    complete(operation);
    return true;
}

/// Returns whether it is complete. Throws the exception that ends it.
bool ProgressEngine::advance(OutstandingCall& operation, int looks) {
    try {
        return run_further(operation, looks);
    } catch (...) {
        describe(std::current_exception(), context_of(operation));
        throw;
    }
}

bool ProgressEngine::run_further(OutstandingCall& operation, int looks) {
    OutstandingCall::Runner& runner = *operation.runner_;
    if (std::exchange(operation.is_excused_, false)) {
        runner.stop_waiting();
    }
    const bool has_operator = operation.operator_.data() != nullptr;
    const run::State reached = [&] {
        const detail::Seat::OperatorRuns running(seat_, has_operator);
        return runner.advance(looks);
    }();
    if (has_operator) {
        seat_.check_aborted();
    }
    switch (reached) {
    case run::State::waits:
        return false;
    case run::State::done:
        remove(operation);
        complete(operation);
        return true;
    case run::State::failed:
        group_.failure().throw_aborted();
    case run::State::differs:
        break;
    }
    group_.diagnosis().throw_fault({operation.sequence_, operation.number_, rank_, runner.peer()},
                                   runner.fault(), operation.call_.signature(), operation.call_.prepared(),
                                   operation.bindings_);
    return false; // not reached, which a compiler does not see of a virtual function
}

void ProgressEngine::remove(OutstandingCall& operation) {
    open_.erase(std::ranges::find(open_, &operation));
    if (open_.empty()) {
        thread_->remove(*this);
    }
}

/// It is complete or has failed.
[[gnu::always_inline]] inline void ProgressEngine::finish(OutstandingCall& operation,
                                                          OutstandingCall::State state) noexcept {
    operation.state_ = state;
    if (recorder_ != nullptr) {
        operation.flight_.end(recorded(operation), operation.call_.signature().bytes,
                              state == OutstandingCall::State::failed);
    }
    if (operation.watch_ != nullptr) {
        end_watches(operation);
    }
    if (operation.continuation_ || !operation.is_held_) {
        operation.become_ready();
    }
}

void ProgressEngine::complete(OutstandingCall& operation) {
    if (operation.gate_ != nullptr) {
        operation.gate_->complete();
    }
    if (operation.waited_.since().count() != 0) { // it has been shown
        group_.memory().status(rank_).wait.end();
    }
    if (operation.sequence_ == Sequence::nonblocking) {
        Turn& turn = turn_of(operation);
        turn.is_taken = false;
        turn.next += Channels::in_turn;
    }
    finish(operation, OutstandingCall::State::complete);
}

void ProgressEngine::progress() {
    if (are_looked_at_) {
        return;
    }
    show_look();
    go_on([this] {
        for (std::size_t place = 0; place < open_.size();) {
            OutstandingCall& operation = *open_[place];
            if (operation.state_ == OutstandingCall::State::queued && has_turn(operation) &&
                (operation.gate_ == nullptr || operation.gate_->is_open())) {
                begin(operation);
            } else if (operation.state_ == OutstandingCall::State::queued ||
                       !(operation.is_excused_ || operation.runner_->is_ready())) {
                ++place;
                continue;
            }
            if (!advance(operation, 1)) {
                ++place;
            }
        }
    });
}

void ProgressEngine::fail(const std::exception_ptr& cause) noexcept {
    group_.memory().status(rank_).wait.end();
    group_.fail(rank_, cause);
    group_.leave_failed_call(rank_);
    failure_ = cause;
    if (!open_.empty()) {
        thread_->remove(*this);
        thread_->note_failure(cause);
    }
    bool is_first_gate = true;
    for (OutstandingCall* operation : open_) {
        if (operation->gate_ != nullptr) {
            operation->gate_->fail(cause, std::exchange(is_first_gate, false));
        }
        operation->failure_ = cause;
        finish(*operation, OutstandingCall::State::failed);
    }
    open_.clear();
}

void ProgressEngine::look_after(bool takes_long, const OutstandingCall* awaited) {
    if (are_looked_at_) {
        return;
    }
    // A peer's calls are the same for all operations that wait for it, so they are read once.
    const OutstandingCall* read_for = nullptr;
    const OutstandingCall* looked_at = nullptr;
    try {
        for (OutstandingCall* operation : open_) {
            looked_at = operation;
            if (operation->state_ != OutstandingCall::State::running) {
                continue;
            }
            const bool is_read = read_for != nullptr && read_for->sequence_ == operation->sequence_ &&
                                 read_for->runner_->peer() == operation->runner_->peer();
            // Another outstanding operation might end first, and its continuation might make the awaited
            // call.
            const bool is_stuck = operation == awaited && open_.size() == 1 && thread_->has_only(*this);
            if (check_stalled(group_, operation->sequence_, rank_, *operation->runner_, operation->waited_,
                              {.takes_long = takes_long && !is_read,
                               .number = operation->number_,
                               .is_stuck = is_stuck})) {
                operation->is_excused_ = true;
            }
            read_for = operation;
        }
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        describe(thrown, context_of(*looked_at));
        fail(thrown);
    }
}

} // namespace tutti::library
