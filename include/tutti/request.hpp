#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <utility>

namespace tutti {

/// An outstanding operation: what a call returns that does not block. The vectors of the call belong to the
/// operation until it is complete. Default-constructed, moved from or complete, it waits for nothing.
///
/// There is no thread behind it: whoever tests or waits makes all operations progress that the calling thread
/// has outstanding, in all groups, and so does a thread that waits in a call that blocks. Only the thread
/// that has started an operation may use its request.
///
/// test(), wait() and then() throw what has ended the operation, once and again: MismatchError where the
/// members have started different ones, Aborted where another member has failed, what the operator has
/// thrown. So does co_await.
class [[nodiscard("a request waits for its operation when it is destroyed")]] Request {
public:
    Request() = default;
    /// For the library: calls that are started return one.
    explicit Request(detail::RequestBase & request) noexcept : request_(&request) {}
    /// `other` has no operation then.
    Request(Request && other) noexcept : request_(std::exchange(other.request_, nullptr)) {}
    /// Waits for the operation that it has had, as the destructor does.
    Request& operator=(Request&& other) noexcept {
        Request(std::move(other)).swap(*this);
        return *this;
    }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    /// Waits for the operation, or until that has failed, which the member's next call says.
    ~Request() {
        if (request_ != nullptr) {
            request_->release();
        }
    }

    /// Whether the operation is complete, after a look at what has come.
    bool test() {
        return request_ == nullptr || request_->test();
    }

    /// Returns when the operation is complete.
    void wait() {
        if (request_ != nullptr) {
            request_->wait();
        }
    }

    /// Calls `function` when the operation is complete, on the thread that completes it: within its next
    /// test() or wait(), or at the end of a call that blocks; at once if it is complete. Not if it fails.
    /// It may make any calls. What it throws counts as a failure of the member. Throws Error where a function
    /// or a coroutine waits for the operation already, ArgumentError if `function` is empty.
    void then(std::function<void()> function) {
        if (request_ == nullptr && function) {
            function();
        } else if (request_ == nullptr) {
            throw ArgumentError("then: `function` is empty");
        } else {
            request_->then(std::move(function), detail::RequestBase::Calls::when_complete);
        }
    }

    /// Suspends a coroutine until the operation is complete. It goes on where then() would call a function.
    auto operator co_await() const noexcept {
        return detail::Awaiter(request_);
    }

private:
    void swap(Request & other) noexcept {
        std::swap(request_, other.request_);
    }

    detail::RequestBase* request_ = nullptr;

    template <std::ranges::forward_range Range>
    requires std::same_as<std::ranges::range_value_t<Range>, Request>
    friend std::size_t wait_any(Range && requests);
};

/// Makes everything progress that the calling thread has outstanding, until ready(), which is asked again
/// when something has come. What a program of coroutines waits in. Throws Error where the thread has nothing
/// left outstanding that could make it ready.
TUTTI_API void wait_until(const std::function<bool()>& ready);

namespace detail {

/// The same for `caller`, which errors name.
TUTTI_API void wait_until(const char* caller, const std::function<bool()>& ready);

} // namespace detail

/// A Request or a Persistent.
template <class R>
concept Waitable = requires(R& request) {
    request.wait();
    request.test();
};

/// Returns when the operations of all requests, or persistent operations, of a range are complete, which may
/// be of several groups.
template <std::ranges::forward_range Range>
requires Waitable<std::ranges::range_value_t<Range>>
void wait_all(Range&& requests) {
    for (auto& request : requests) {
        request.wait();
    }
}

/// The same of those that are named.
template <Waitable... Requests>
void wait_all(Requests&... requests) {
    (requests.wait(), ...);
}

/// Returns the place of a request in the range whose operation is complete, when there is one, and makes that
/// request one that waits for nothing; such requests are passed over. Returns the size of the range where all
/// are such.
template <std::ranges::forward_range Range>
requires std::same_as<std::ranges::range_value_t<Range>, Request> std::size_t wait_any(Range&& requests) {
    std::size_t place = 0;
    Request* complete = nullptr;
    bool any = false;
    const auto look = [&] {
        place = 0;
        for (Request& request : requests) {
            any = any || request.request_ != nullptr;
            if (request.request_ != nullptr && request.request_->is_over()) {
                complete = &request;
                return true;
            }
            ++place;
        }
        return false;
    };
    if (!look() && any) {
        detail::wait_until("wait_any", look);
    }
    if (complete != nullptr) {
        complete->wait(); // throws what has ended it
        *complete = Request();
    }
    return place;
}

} // namespace tutti
