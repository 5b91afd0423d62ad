#pragma once

#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>

namespace tutti::detail {

template <class Range>
class AnyOf;

/// A handle of one operation: the functions that Request, AsyncRequest and Persistent have in common. These
/// classes describe the behaviour.
template <class Operation>
class BasicRequest {
public:
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

    /// Like wait(), for at most `time`, which is any std::chrono::duration: returns whether the operation is
    /// complete. If `time` is 0 or negative, the function is test(). It returns later if the thread is in a
    /// function of the program, such as an operator, when the time is over.
    ///
    /// The operation continues when the time is over: unlike Options::timeout, this is not a failure.
    bool wait_for(std::chrono::duration<double> time) {
        return operation_ == nullptr || operation_->wait_for(time);
    }

    /// Calls `function(failure)` once when the operation is over. `failure` is a std::exception_ptr: null if
    /// the operation is complete, otherwise the exception that wait() throws. If the operation is already
    /// over, or the object is empty, the function is called at once. `function` may make any calls.
    ///
    /// Throws Error if a function or coroutine already waits for the operation, and ArgumentError if
    /// `function` is an empty std::function.
    template <class Function>
    void then(Function&& function) {
        constexpr bool takes_failure = std::is_invocable_v<std::decay_t<Function>&, std::exception_ptr>;
        static_assert(takes_failure,
                      "then: the function must take a std::exception_ptr, which is null if the "
                      "operation is complete and its failure otherwise");
        if constexpr (takes_failure) {
            std::function<void(std::exception_ptr)> kept(std::forward<Function>(function));
            if (operation_ != nullptr) {
                operation_->then(std::move(kept));
            } else if (kept) {
                kept(nullptr);
            } else {
                throw ArgumentError("then: `function` is empty");
            }
        }
    }

    /// Suspends a coroutine until the operation is over. The coroutine resumes on the thread, and at the
    /// place, at which then() would call a function; co_await throws the failure of the operation.
    auto operator co_await() const noexcept { return Awaiter(operation_); }

protected:
    BasicRequest() = default;
    explicit BasicRequest(Operation& operation) noexcept : operation_(&operation) {}
    BasicRequest(BasicRequest&& other) noexcept : operation_(std::exchange(other.operation_, nullptr)) {}
    BasicRequest& operator=(BasicRequest&& other) noexcept {
        BasicRequest taken(std::move(other));
        std::swap(operation_, taken.operation_);
        return *this;
    }
    BasicRequest(const BasicRequest&) = delete;
    BasicRequest& operator=(const BasicRequest&) = delete;
    ~BasicRequest() {
        if (operation_ != nullptr) {
            operation_->release();
        }
    }

    Operation* operation() const noexcept { return operation_; }

private:
    template <class Range>
    friend class AnyOf;

    Operation* operation_ = nullptr;
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

/// A Request, an AsyncRequest or a Persistent.
template <class R>
concept Waitable = requires(R& request) {
    request.wait();
    request.test();
};

} // namespace tutti::detail
