// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <new>
#include <ranges>
#include <type_traits>
#include <utility>

namespace tutti::v0_1::detail {

/// A function that is to be called once with the failure of an operation, or none. Unlike in a std::function,
/// it may be move-only. Small trivially copyable functions, such as lambdas with three references, are kept
/// without an allocation.
class Continuation {
public:
    Continuation() = default;
    template <class Function>
    explicit Continuation(std::in_place_t /*unused*/, Function&& function)
        : use_(&use<std::decay_t<Function>>) {
        using Kept = std::decay_t<Function>;
        if constexpr (is_kept_here<Kept>) {
            ::new (static_cast<void*>(place_)) Kept(std::forward<Function>(function));
        } else {
            ::new (static_cast<void*>(place_)) Kept*(new Kept(std::forward<Function>(function)));
        }
    }
    Continuation(Continuation&& other) noexcept { swap(other); }
    Continuation& operator=(Continuation&& other) noexcept {
        Continuation taken(std::move(other));
        swap(taken);
        return *this;
    }
    Continuation(const Continuation&) = delete;
    Continuation& operator=(const Continuation&) = delete;
    ~Continuation() {
        if (use_ != nullptr) {
            use_(place_, nullptr);
        }
    }

    explicit operator bool() const noexcept { return use_ != nullptr; }
    void operator()(const std::exception_ptr& failure) { use_(place_, &failure); }

private:
    static constexpr std::size_t bytes = 3 * sizeof(void*);

    template <class Kept>
    static constexpr bool is_kept_here = std::is_trivially_copyable_v<Kept> && sizeof(Kept) <= bytes &&
                                         alignof(Kept) <= alignof(void*);

    /// Calls the function with *failure; destroys it if `failure` is null.
    template <class Kept>
    static void use(std::byte* place, const std::exception_ptr* failure) {
        if constexpr (is_kept_here<Kept>) {
            if (failure != nullptr) {
                (*std::launder(reinterpret_cast<Kept*>(place)))(std::exception_ptr(*failure));
            }
        } else {
            Kept* const kept = *std::launder(reinterpret_cast<Kept**>(place));
            if (failure != nullptr) {
                (*kept)(std::exception_ptr(*failure));
            } else {
                delete kept;
            }
        }
    }

    void swap(Continuation& other) noexcept {
        std::swap(place_, other.place_);
        std::swap(use_, other.use_);
    }

    /// The function, or a pointer to it.
    alignas(void*) std::byte place_[bytes] = {};
    void (*use_)(std::byte* place, const std::exception_ptr* failure) = nullptr;
};

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
    /// The program knows that the operation goes on when it releases the request.
    virtual void detach() noexcept {}
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

    /// Makes no progress: a function that is called at the end of a test could destroy the operation.
    bool await_ready() const { return request_ == nullptr || request_->is_over(); }
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

/// A request of a range whose operation is over, for wait_any() and test_any().
template <class Range>
class AnyOf {
public:
    using Each = std::ranges::range_value_t<Range>;

    explicit AnyOf(Range& requests) : requests_(requests) {}

    /// Tests the requests. The first one is enough if a test progresses all operations of the thread.
    void test(bool first_is_enough) {
        for (Each& each : requests_) {
            if (each.operation_ != nullptr && !each.operation_->is_over()) {
                has_ended(*each.operation_);
                if (first_is_enough) {
                    return;
                }
            }
        }
    }

    /// Looks for a request whose operation is over. False if there is none and some request has an operation.
    bool look() {
        bool is_any_valid = false;
        index_ = 0;
        over_ = nullptr;
        for (Each& each : requests_) {
            is_any_valid = is_any_valid || each.valid();
            if (each.valid() && each.operation_->is_over()) {
                over_ = &each;
                return true;
            }
            ++index_;
        }
        return !is_any_valid;
    }

    /// Empties the request that look() has found and returns its index, or the size of the range if all are
    /// empty. Throws the failure of the operation.
    std::size_t take() {
        if (over_ != nullptr) {
            Each over = std::move(*over_);
            over.wait();
        }
        return index_;
    }

private:
    Range& requests_;
    Each* over_ = nullptr;
    std::size_t index_ = 0;
};

/// A request of any kind.
template <class R>
concept Waitable = requires(R& request) {
    request.wait();
    request.test();
};

} // namespace tutti::v0_1::detail
