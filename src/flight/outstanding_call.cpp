#include "flight/outstanding_call.hpp"

#include "flight/progress_engine.hpp"
#include "wait/thread_progress.hpp"

#include <tutti/error.hpp>

#include <cstring>
#include <utility>

namespace tutti::engine {

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
            home_->drop_continuation(*this);
        }
    }
    if (continuation_) {
        throw Error("then: a function or coroutine waits for this operation already; "
                    "each operation accepts one");
    }
    continuation_ = std::move(function);
    if (is_over()) {
        call_continuation();
    }
}

void OutstandingCall::forget() noexcept {
    if (home_ == nullptr) {
        continuation_ = {};
    } else {
        home_->drop_continuation(*this);
    }
}

void OutstandingCall::release() noexcept {
    while (!is_over() && is_held_ && home_->may_wait()) {
        try {
            wait();     // calls functions, one of which may have the member leave
        } catch (...) { // recorded: the next call reports it
        }
    }
    if (home_ == nullptr) {
        delete this;
    } else {
        home_->release(*this);
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

void OutstandingCall::call_continuation() {
    ProgressEngine* const home = home_;
    const std::exception_ptr failure = failure_;
    call(home, home != nullptr ? home->taken_continuation(*this) : std::move(continuation_), failure);
}

void OutstandingCall::call(ProgressEngine* home, detail::Continuation function,
                           const std::exception_ptr& failure) {
    if (!function) {
        return;
    }
    const ThreadProgress::Calling calling(home);
    try {
        function(failure);
    } catch (...) {
        if (calling.member() != nullptr) {
            calling.member()->fail(std::current_exception());
        }
        throw;
    }
}

void OutstandingCall::bind(const void* input, void* output) {
    input_ = input;
    output_ = output;
}

} // namespace tutti::engine
