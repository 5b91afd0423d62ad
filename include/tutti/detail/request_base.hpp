#pragma once

#include <tutti/detail/call.hpp>

#include <cstdint>
#include <functional>

namespace tutti::detail {

/// The implementation of a Request.
class RequestBase {
public:
    /// When a function that waits for the operation is called.
    enum class Calls : std::uint8_t { when_complete, in_any_case };

    /// Whether the operation is complete or has failed. Makes no progress.
    virtual bool is_over() const noexcept = 0;
    /// Progresses all outstanding operations of the thread, then returns whether this operation is complete.
    virtual bool test() = 0;
    /// Returns when the operation is complete.
    virtual void wait() = 0;
    virtual void then(std::function<void()> function, Calls calls) = 0;
    /// The function that then() was given must not be called any more.
    virtual void forget() noexcept = 0;
    /// Throws Error if a waiter for this request must not resume on another thread, or must not leave this
    /// thread now.
    virtual void require_movable_waiter() const = 0;
    /// The request is not used any more. Waits until the operation is over.
    virtual void release() noexcept = 0;

protected:
    RequestBase() = default;
    RequestBase(const RequestBase&) = default;
    RequestBase& operator=(const RequestBase&) = default;
    RequestBase(RequestBase&&) = default;
    RequestBase& operator=(RequestBase&&) = default;
    ~RequestBase() = default;
};

/// The implementation of a Persistent.
class PersistentRequestBase : public RequestBase {
public:
    virtual void start() = 0;
    /// Starts with the buffers of `call`, which is otherwise the same call.
    virtual void start(const Call& call) = 0;

protected:
    ~PersistentRequestBase() = default;
};

/// Lets a coroutine, or anything else with a resume() function, wait. A null pointer is never waited for. If
/// the Awaiter is destroyed while it waits, its function is not called any more.
class Awaiter {
public:
    explicit Awaiter(RequestBase* request) noexcept : request_(request) {}
    ~Awaiter() {
        if (waits_) {
            request_->forget();
        }
    }
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    Awaiter(Awaiter&&) = delete;
    Awaiter& operator=(Awaiter&&) = delete;

    /// Throws Error if the waiter must not resume on another thread.
    void require_movable_waiter() const {
        if (request_ != nullptr) {
            request_->require_movable_waiter();
        }
    }

    bool await_ready() const { return request_ == nullptr || request_->test(); }
    template <class Coroutine>
    void await_suspend(Coroutine coroutine) {
        waits_ = true;
        try {
            request_->then(
                [this, coroutine] {
                    waits_ = false;
                    coroutine.resume();
                },
                RequestBase::Calls::in_any_case);
        } catch (...) {
            waits_ = false;
            throw;
        }
    }
    void await_resume() const {
        if (request_ != nullptr) {
            request_->wait();
        }
    }

private:
    RequestBase* request_;
    bool waits_ = false;
};

} // namespace tutti::detail
