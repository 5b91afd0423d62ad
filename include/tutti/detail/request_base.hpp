#pragma once

#include <tutti/detail/call.hpp>

#include <cstdint>
#include <functional>

namespace tutti::detail {

/// What is behind a Request.
class RequestBase {
public:
    /// When a function is called that waits for the operation.
    enum class Calls : std::uint8_t { when_complete, in_any_case };

    /// Whether it is complete or has failed. Looks at nothing else.
    virtual bool is_over() const noexcept = 0;
    /// Whether it is complete, after everything that the thread has outstanding has made progress.
    virtual bool test() = 0;
    /// Returns when it is complete.
    virtual void wait() = 0;
    virtual void then(std::function<void()> function, Calls calls) = 0;
    /// What then() was given is not to be called any more.
    virtual void forget() noexcept = 0;
    /// Throws Error where who waits for it must not go on on another thread, or not leave this one now.
    virtual void require_movable_waiter() const = 0;
    /// Nobody asks any more. Waits until it is over.
    virtual void release() noexcept = 0;

protected:
    RequestBase() = default;
    RequestBase(const RequestBase&) = default;
    RequestBase& operator=(const RequestBase&) = default;
    RequestBase(RequestBase&&) = default;
    RequestBase& operator=(RequestBase&&) = default;
    ~RequestBase() = default;
};

/// What is behind a Persistent.
class PersistentRequestBase : public RequestBase {
public:
    virtual void start() = 0;
    /// With the vectors of this call, which is else the same.
    virtual void start(const Call& call) = 0;

protected:
    ~PersistentRequestBase() = default;
};

/// Lets a coroutine wait, or what else resume() lets go on. None waits for a null pointer. One that is
/// destroyed while it waits is forgotten.
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

    /// Throws Error where what waits must not go on on another thread.
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
