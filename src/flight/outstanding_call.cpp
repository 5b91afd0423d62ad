#include "flight/outstanding_call.hpp"

#include "flight/progress_engine.hpp"

#include <tutti/error.hpp>

#include <cstring>
#include <utility>

namespace tutti::engine {

bool OutstandingCall::test() {
    if (!is_over()) {
        home_->test();
    }
    check();
    return is_over();
}

void OutstandingCall::wait() {
    if (!is_over()) {
        home_->wait(*this);
    }
    check();
}

bool OutstandingCall::wait_for(std::chrono::duration<double> time) {
    if (!(time.count() > 0)) { // or not a number
        return test();
    }
    if (!is_over()) {
        home_->wait(*this, end_after(time));
    }
    check();
    return is_over();
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
    detail::Continuation continuation =
        home != nullptr ? home->taken_continuation(*this) : std::move(continuation_);
    // From here on nobody may refer to the operation any more.
    if (!continuation) {
        return;
    }
    try {
        continuation(failure);
    } catch (...) {
        if (home != nullptr) {
            home->fail(std::current_exception());
        }
        throw;
    }
}

void OutstandingCall::bind(const void* input, void* output) {
    input_ = input;
    output_ = output;
}

} // namespace tutti::engine
