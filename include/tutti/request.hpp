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

/// An outstanding operation, returned by a nonblocking call. A request that is default-constructed, moved
/// from or complete is empty: it waits for nothing.
///
/// @warning The buffers of the call belong to the operation until it is complete: they must live, must not be
/// written, and an output must not be read.
///
/// There is no progress thread. test() and wait() progress all outstanding operations of the calling thread,
/// in all groups, and so does any blocking call in which the thread waits. Only the thread that started an
/// operation may use its request; requests of an AsyncGroup are an exception.
///
/// If the operation failed, each test(), wait(), then() and co_await throws the cause: MismatchError if the
/// members started different operations, Aborted if another member failed, or the exception of the operator.
class [[nodiscard("a request waits for its operation when it is destroyed")]] Request {
public:
    Request() = default;
    /// Internal: nonblocking calls return requests.
    explicit Request(detail::RequestBase & request) noexcept : request_(&request) {}
    /// `other` is empty afterwards.
    Request(Request && other) noexcept : request_(std::exchange(other.request_, nullptr)) {}
    /// First waits for the operation that this request had, as the destructor does.
    Request& operator=(Request&& other) noexcept {
        Request(std::move(other)).swap(*this);
        return *this;
    }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    /// Waits until the operation is complete or has failed. The member's next call throws the failure.
    ~Request() {
        if (request_ != nullptr) {
            request_->release();
        }
    }

    /// Makes progress without blocking, and returns whether the operation is complete.
    bool test() {
        return request_ == nullptr || request_->test();
    }

    /// Returns when the operation is complete.
    void wait() {
        if (request_ != nullptr) {
            request_->wait();
        }
    }

    /// Calls `function` when the operation is complete, on the thread that completes it: inside its next
    /// test() or wait(), or at the end of a blocking call. If the operation is already complete, calls it at
    /// once. If the operation fails, `function` is not called.
    ///
    /// `function` may make any calls. An exception that it throws counts as a failure of the member. Throws
    /// Error if a function or coroutine already waits for the operation, and ArgumentError if `function` is
    /// empty.
    void then(std::function<void()> function) {
        if (request_ == nullptr && function) {
            function();
        } else if (request_ == nullptr) {
            throw ArgumentError("then: `function` is empty");
        } else {
            request_->then(std::move(function), detail::RequestBase::Calls::when_complete);
        }
    }

    /// Suspends a coroutine until the operation is complete. The coroutine resumes on the thread, and at the
    /// place, at which then() would call a function.
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

/// Progresses all outstanding operations of the calling thread until ready() returns true. ready() is called
/// again whenever an operation has made progress. It is meant for the main loop of a program of coroutines.
/// Throws Error if the thread has no outstanding operation left that could change the result of ready().
TUTTI_API void progress_until(const std::function<bool()>& ready);

namespace detail {

/// Like progress_until(ready), with the name that error messages give to the caller.
TUTTI_API void progress_until(const char* caller, const std::function<bool()>& ready);

} // namespace detail

/// A Request or a Persistent.
template <class R>
concept Waitable = requires(R& request) {
    request.wait();
    request.test();
};

/// Returns when the operations of all requests, or persistent operations, of the range are complete. They may
/// belong to different groups.
template <std::ranges::forward_range Range>
requires Waitable<std::ranges::range_value_t<Range>>
void wait_all(Range&& requests) {
    for (auto& request : requests) {
        request.wait();
    }
}

/// Like wait_all(range), for requests that are passed one by one.
template <Waitable... Requests>
void wait_all(Requests&... requests) {
    (requests.wait(), ...);
}

/// Waits until the operation of one request of the range is complete, empties that request, and returns its
/// index. Empty requests are skipped. Returns the size of the range if all requests are empty.
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
        detail::progress_until("wait_any", look);
    }
    if (complete != nullptr) {
        complete->wait(); // throws the failure, if any
        *complete = Request();
    }
    return place;
}

} // namespace tutti
