#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/detail/continuation.hpp>
#include <tutti/detail/export.hpp>

#include <chrono>
#include <exception>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// The implementation of a request that is not persistent.
class RequestBase {
public:
    /// Whether the operation is complete or has failed. Makes no progress.
    virtual bool is_over() const noexcept = 0;
    /// Progresses all outstanding operations of the thread, then returns whether this operation is complete.
    virtual bool test() = 0;
    /// Returns when the operation is complete.
    virtual void wait() = 0;
    /// Waits for at most `time`, then returns whether the operation is complete. 0 or less is a test().
    virtual bool wait_for(std::chrono::duration<double> time) = 0;
    /// The function, of which there must be one, gets null or the failure.
    virtual void then(Continuation function) = 0;
    /// The function that then() was given must not be called any more.
    virtual void forget() noexcept = 0;
    /// The request is not used any more. Waits until the operation of a member is over.
    virtual void release() noexcept = 0;

protected:
    RequestBase() = default;
    RequestBase(const RequestBase&) = default;
    RequestBase& operator=(const RequestBase&) = default;
    RequestBase(RequestBase&&) = default;
    RequestBase& operator=(RequestBase&&) = default;
    ~RequestBase() = default;
};

/// Tests, and returns whether the operation is over, even if it has failed. Throws if the use of the request
/// is rejected.
TUTTI_API bool has_ended(RequestBase& request);

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

    bool await_ready() const { return request_ == nullptr || request_->test(); }
    template <class Coroutine>
    void await_suspend(Coroutine coroutine) {
        waits_ = true;
        try {
            request_->then(Continuation(
                std::in_place, [this, coroutine](const std::exception_ptr& /*thrown by await_resume*/) {
                    waits_ = false;
                    coroutine.resume();
                }));
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

} // namespace tutti::inline TUTTI_NAMESPACE::detail
