// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/functions.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>

#include <chrono>
#include <exception>
#include <type_traits>
#include <utility>

namespace tutti::v0_1 {

namespace detail {
template <class Range>
class AnyOf;
}

/// A handle of one operation: the functions that all classes of requests have in common, such as Request and
/// Persistent. These classes describe the behaviour.
template <class Operation>
class BasicRequest {
public:
    BasicRequest(const BasicRequest&) = delete;
    BasicRequest& operator=(const BasicRequest&) = delete;

    /// Whether this object has an operation, complete or not. A complete operation is kept, so that each
    /// further test() or wait() reports the same. False if the object is empty: default-constructed, moved
    /// from, or emptied by wait_any() or test_any().
    bool valid() const noexcept { return operation_ != nullptr; }

    /// Makes progress without blocking, and returns whether the operation is complete. Throws the failure of
    /// the operation. An empty object returns true.
    bool test() { return operation_ == nullptr || operation_->test(); }

    /// Returns when the operation is complete. Throws the failure of the operation. An empty object returns
    /// at once.
    void wait() {
        if (operation_ != nullptr) {
            operation_->wait();
        }
    }

    /// Like wait(), for at most `time`, which is any std::chrono::duration, or `never`: returns whether the
    /// operation is complete. If `time` is 0 or negative, the function is test(). It returns later if the
    /// thread is in a function of the program, such as an operator, when the time is over.
    ///
    /// The operation continues when the time is over: unlike Options::timeout, this is not a failure.
    bool wait_for(std::chrono::duration<double> time) {
        return operation_ == nullptr || operation_->wait_for(time);
    }

    /// Calls `function(failure)` once when the operation is over. `failure` is a std::exception_ptr: null if
    /// the operation is complete, otherwise the exception that wait() throws. If the operation is already
    /// over, or the object is empty, the function is called at once. `function` may make any calls, and may
    /// be move-only.
    ///
    /// Throws Error if a function or coroutine already waits for the operation, and ArgumentError if
    /// `function` is an empty std::function.
    template <class Function>
    void then(Function&& function) {
        using Kept = std::decay_t<Function>;
        constexpr bool takes_failure = std::is_invocable_v<Kept&, std::exception_ptr>;
        constexpr bool can_be_kept = std::is_constructible_v<Kept, Function>;
        static_assert(takes_failure,
                      "then: the function must take a std::exception_ptr, which is null if the "
                      "operation is complete and its failure otherwise");
        static_assert(can_be_kept, "then: the function cannot be copied: pass std::move(function)");
        if constexpr (takes_failure && can_be_kept) {
            if (detail::is_empty(function)) {
                throw ArgumentError("then: `function` is empty");
            }
            if (operation_ != nullptr) {
                operation_->then(detail::Continuation(std::in_place, std::forward<Function>(function)));
            } else {
                Kept kept(std::forward<Function>(function));
                kept(std::exception_ptr());
            }
        }
    }

    /// Suspends a coroutine until the operation is over. The coroutine resumes on the thread, and at the
    /// place, at which then() would call a function; co_await throws the failure of the operation.
    auto operator co_await() const noexcept { return detail::Awaiter(operation_); }

protected:
    BasicRequest() = default;
    /// Internal: a handle of `operation`.
    explicit BasicRequest(Operation& operation) noexcept : operation_(&operation) {}
    /// `other` is empty afterwards.
    BasicRequest(BasicRequest&& other) noexcept : operation_(std::exchange(other.operation_, nullptr)) {}
    /// Releases the operation that this object had, as the destructor of the derived class describes.
    BasicRequest& operator=(BasicRequest&& other) noexcept {
        BasicRequest taken(std::move(other));
        std::swap(operation_, taken.operation_);
        return *this;
    }
    ~BasicRequest() {
        if (operation_ != nullptr) {
            operation_->release();
        }
    }

    /// Internal: the operation, or null.
    Operation* operation() const noexcept { return operation_; }

private:
    template <class Range>
    friend class detail::AnyOf;

    Operation* operation_ = nullptr;
};

} // namespace tutti::v0_1
