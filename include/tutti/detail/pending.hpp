#pragma once

#include <tutti/detail/call.hpp>

#include <cstdint>
#include <functional>

namespace tutti::detail {

/// What is behind a Request.
class Pending {
public:
    /// When a function is called that waits for the operation.
    enum class Calls : std::uint8_t { when_complete, in_any_case };

    /// Whether it is complete or has failed. Looks at nothing else.
    virtual bool is_over() const noexcept = 0;
    /// Whether it is complete, after everything that the thread has in flight has made progress.
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
    Pending() = default;
    Pending(const Pending&) = default;
    Pending& operator=(const Pending&) = default;
    Pending(Pending&&) = default;
    Pending& operator=(Pending&&) = default;
    ~Pending() = default;
};

/// What is behind a Persistent.
class Restartable : public Pending {
public:
    virtual void start() = 0;
    /// With the vectors of this call, which is else the same.
    virtual void start(const Call& call) = 0;

protected:
    ~Restartable() = default;
};

/// Lets a coroutine wait, or what else resume() lets go on. None waits for a null pointer. One that is
/// destroyed while it waits is forgotten.
class Awaiter {
public:
    explicit Awaiter(Pending* pending) noexcept : pending_(pending) {}
    ~Awaiter() {
        if (waits_) {
            pending_->forget();
        }
    }
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    Awaiter(Awaiter&&) = delete;
    Awaiter& operator=(Awaiter&&) = delete;

    /// Throws Error where what waits must not go on on another thread.
    void require_movable_waiter() const {
        if (pending_ != nullptr) {
            pending_->require_movable_waiter();
        }
    }

    bool await_ready() const { return pending_ == nullptr || pending_->test(); }
    template <class Coroutine>
    void await_suspend(Coroutine coroutine) {
        waits_ = true;
        try {
            pending_->then(
                [this, coroutine] {
                    waits_ = false;
                    coroutine.resume();
                },
                Pending::Calls::in_any_case);
        } catch (...) {
            waits_ = false;
            throw;
        }
    }
    void await_resume() const {
        if (pending_ != nullptr) {
            pending_->wait();
        }
    }

private:
    Pending* pending_;
    bool waits_ = false;
};

} // namespace tutti::detail
