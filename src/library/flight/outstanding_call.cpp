#include "flight/progress_engine.hpp"
#include "group/seat.hpp"
#include "wait/failure.hpp"

#include <utility>

namespace tutti::library {

bool OutstandingCall::test() {
    if (is_over()) {
        return has_completed();
    }
    const Watch watch(*this, watch_);
    home_->test();
    return watch.has_completed();
}

void OutstandingCall::wait() {
    wait_until(no_end);
}

bool OutstandingCall::wait_for(std::chrono::duration<double> time) {
    if (!(time.count() > 0)) { // or not a number
        return test();
    }
    return wait_until(end_after(time));
}

bool OutstandingCall::wait_until(std::chrono::nanoseconds end) {
    if (is_over()) {
        return has_completed();
    }
    Watch watch(*this, watch_);
    home_->wait(watch, end);
    return watch.has_completed();
}

void OutstandingCall::then(detail::Continuation function) {
    if (home_ != nullptr) {
        home_->require_own_thread("then");
        if (!continuation_) { // another thread has dropped one
            forget();
        }
    }
    if (continuation_) {
        throw Error("then: a function or coroutine waits for this operation already; "
                    "each operation accepts one");
    }
    continuation_ = std::move(function);
    if (is_over()) {
        ThreadProgress::here().holds() ? become_ready() : call_continuation();
    }
}

void OutstandingCall::become_ready() noexcept {
    is_ready_ = true;
    ThreadProgress::here().add_continuation(*this);
    if (home_ != nullptr) {
        home_->be_on_this_thread();
        ++home_->ready_;
    }
}

void OutstandingCall::no_longer_ready() noexcept {
    is_ready_ = false;
    if (home_ != nullptr) {
        --home_->ready_;
    }
}

void OutstandingCall::forget() noexcept {
    continuation_ = {};
    // On another thread than the one that has it in its queue it stays there, as if nobody refers to it.
    if (is_ready_ && is_held_ && ThreadProgress::here().remove_continuation(*this)) {
        no_longer_ready();
    }
}

void OutstandingCall::release() noexcept {
    while (!is_over() && is_held_ && home_->may_wait()) {
        try {
            wait();     // calls functions, one of which may have the member leave
        } catch (...) { // recorded: the next call reports it
        }
    }
    if (!std::exchange(is_held_, false)) { // by a copy of a request of C, which is used up
        return;
    }
    if (is_over() && !is_ready_) {
        return dispose();
    }
    // Otherwise the operator that runs returns to it, or the thread that has it in its queue calls it later.
    ThreadProgress& thread = ThreadProgress::here();
    if (is_ready_ && !thread.holds() && thread.remove_continuation(*this)) {
        try {
            call_continuation();
        } catch (...) { // recorded: the next call reports it
        }
    }
}

void OutstandingCall::dispose() noexcept {
    if (home_ != nullptr) {
        home_->recycle(*this);
    } else {
        delete this;
    }
}

void OutstandingCall::start() {
    if (home_ == nullptr) {
        throw Error("start: the member that has prepared this operation has left its seat");
    }
    home_->restart(*this);
}

void OutstandingCall::start(const detail::Call& call) {
    if (home_ == nullptr) {
        start();
    }
    home_->restart(*this, call);
}

/// The function may destroy the operation and the member.
void OutstandingCall::call_continuation() {
    const ThreadProgress::Calling calling(home_);
    const std::exception_ptr failure = failure_;
    detail::Continuation function = std::move(continuation_);
    const auto release = [](OutstandingCall* last) { last->release(); };
    std::unique_ptr<OutstandingCall, decltype(release)> unheld;
    if (is_ready_) {
        no_longer_ready();
        // A coroutine looks at the operation when it resumes.
        unheld.reset(std::exchange(is_held_, true) ? nullptr : this);
    }
    try {
        if (function) {
            function(failure);
        }
    } catch (...) {
        if (calling.member() != nullptr) {
            calling.member()->fail(std::current_exception());
        }
        throw;
    }
}

using detail::Call;

/// An operation for the next call of a sequence, with all the memory that it needs.
OutstandingCall& ProgressEngine::operation_for(const Call& call, Gate* gate, Sequence sequence) {
    OutstandingCall* operation = nullptr;
    try {
        operation = &found_or_prepared(call);
        operation->operator_.keep(call);
        operation->sequence_ = sequence;
        assign_channel(*operation);
    } catch (ArgumentError& error) {
        describe(error, context_of(call));
        throw; // the member may call again
    } catch (...) {
        if (operation != nullptr) {
            operation->sequence_ = Sequence::nonblocking;
            recycle(*operation);
        }
        fail(std::current_exception());
        throw;
    }
    operation->gate_ = gate;
    operation->input_ = call.input;
    operation->output_ = call.output;
    operation->timeout_ = call.timeout;
    operation->called_from_.show(call.where);
    operation->is_held_ = true;
    operation->is_quiet_ =
        operation->call_.prepared().exchanges_words && operation->operator_.data() == nullptr;
    return *operation;
}

/// One that nobody refers to, prepared for such a call already if there is one. Members need not have the
/// same ones, so that none is used which was prepared before the last decision of an exploration.
OutstandingCall& ProgressEngine::found_or_prepared(const Call& call) {
    const std::uint64_t key = detail::key_of(call);
    OutstandingCall* known = key != 0 ? free_.take(key, call.input, call.output) : nullptr;
    if (known == nullptr) {
        check_given(call); // a call with a key has nothing that this looks at
        known = free_.take(call);
    }
    if (known != nullptr && has_last_choice(*known)) {
        return *known;
    }
    OutstandingCall& operation = known != nullptr ? *known : unused();
    try {
        prepare(operation, call);
    } catch (...) {
        recycle(operation);
        throw;
    }
    return operation;
}

bool ProgressEngine::has_last_choice(const OutstandingCall& operation) const {
    const Explorations* const explorations = seat_.explorations();
    return explorations == nullptr || operation.decisions_ == explorations->decisions();
}

void ProgressEngine::assign_channel(OutstandingCall& operation) {
    if (operation.sequence_ == Sequence::persistent) {
        operation.number_ = calls_.persistent + 1;
        operation.channel_ = &channels_.persistent(operation.number_);
        operation.own_cursor_ = {};
        operation.cursor_ = &operation.own_cursor_;
        return;
    }
    operation.number_ = calls_.started + 1;
    Turn& turn = turn_of(operation);
    if (turn.channel == nullptr) {
        turn.channel = &channels_.nonblocking(calls_.started % Channels::in_turn);
    }
    operation.channel_ = turn.channel;
    operation.cursor_ = &turn.cursor;
}

/// One that nobody refers to: the one that has been so for the longest, once there are enough.
OutstandingCall& ProgressEngine::unused() {
    constexpr std::size_t most_kept = 64;
    if (all_.size() >= most_kept) {
        if (OutstandingCall* const oldest = free_.take_oldest()) {
            return *oldest;
        }
    }
    free_.reserve(all_.size() + 1); // so that none is lost for want of memory
    open_.reserve(all_.size() + 1);
    all_.push_back(std::make_unique<OutstandingCall>(*this));
    return *all_.back();
}

void ProgressEngine::prepare(OutstandingCall& operation, const Call& call) {
    const Explorations* const explorations = seat_.explorations();
    operation.call_.prepare_as_learnt(call, seat_.plans(), explorations);
    operation.decisions_ = explorations != nullptr ? explorations->decisions() : 0;
    operation.bindings_.reserve(operation.call_.prepared());
    if (operation.call_.copied_bytes() != 0) {
        operation.input_copy_.at_least(operation.call_.copied_bytes(), operation.call_.element_align());
    }
    operation.call_.complete();
}

/// Nobody refers to it any more.
void ProgressEngine::recycle(OutstandingCall& operation) noexcept {
    // An operator may own the last handle of the member.
    const bool has_operator = operation.operator_.data() != nullptr;
    const auto until_the_end = has_operator ? group_.weak_from_this().lock() : nullptr;
    operation.is_held_ = false;
    operation.continuation_ = {};
    operation.failure_ = nullptr;
    if (operation.gate_ != nullptr) {
        std::exchange(operation.gate_, nullptr)->drop();
    }
    if (operation.sequence_ == Sequence::persistent) {
        channels_.drop_persistent(operation.number_);
        operation.sequence_ = Sequence::nonblocking;
    }
    // Not later: the program may unload the shared library whose operator it is.
    operation.operator_.drop();
    free_.put(&operation);
}

} // namespace tutti::library
