// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/basic_request.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/request_base.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <ranges>

namespace tutti::v0_1 {

/// An outstanding operation of a member, returned by the calls of Member::start. It can be moved, not copied.
/// An empty request waits for nothing; see valid(). tutti/basic_request.hpp describes each function.
///
/// @warning The buffers of the call belong to the operation until it is complete: the program must not free
/// or write them, nor read an output.
///
/// @warning Only the thread that started the operation may use, assign to or destroy its request.
///
/// The destructor, and an assignment to the request, wait until the operation is over. They do not throw; the
/// member's next call throws the failure.
///
/// There is no progress thread. test(), wait() and wait_for() progress all outstanding operations of the
/// calling thread, in all groups, and so does any blocking call in which the thread waits.
///
/// If the operation is already over, then() calls the function at once. Otherwise the same thread calls it
/// later: inside its next test(), wait() or wait_for(), at the end of a blocking call, or at the latest when
/// the request is destroyed. While an operator runs, its thread calls no function: if the operator calls
/// then() or destroys the request, the function is called later. An exception that the function throws counts
/// as a failure of the member. When the function has been called, then() accepts another one.
///
/// In a group of one member, operations are over at once, so that a function which starts a call with a
/// then() of its own is still running when the next function is called. Make long chains of such calls in a
/// loop.
///
/// If the operation failed, each test(), wait(), wait_for() and co_await throws the cause:
///
/// - MismatchError if the members started different operations
/// - TimeoutError if some member has waited longer than its timeout
/// - Aborted if another member failed
/// - Error if a rank was never joined
/// - the exception of the operator
class [[nodiscard("a request waits for its operation when it is destroyed")]] Request
    : public BasicRequest<detail::RequestBase> {
public:
    Request() = default;
    /// Internal: nonblocking calls return requests.
    explicit Request(detail::RequestBase & operation) noexcept : BasicRequest(operation) {}
};

/// Progresses all outstanding operations of the calling thread until ready() returns true. ready() is called
/// again whenever an operation has made progress. It is meant for the main loop of a program of coroutines.
/// Throws Error if the thread has no outstanding operation left that could change the result of ready().
TUTTI_API void progress_until(const std::function<bool()>& ready);

namespace detail {

/// Like progress_until(ready), with the name of the function in error messages.
TUTTI_API void progress_until(const char* function, const std::function<bool()>& ready);

} // namespace detail

/// Returns when the operations of all requests of the range are complete. The range has requests
/// of any kind, which may belong to different groups. Waits
/// for them in the order of the range, and throws the first failure in that order. Empty requests count as
/// complete. The requests are not emptied.
template <std::ranges::forward_range Range>
requires detail::Waitable<std::ranges::range_value_t<Range>>
void wait_all(Range&& requests) {
    for (auto& request : requests) {
        request.wait();
    }
}

/// Like wait_all(range), for requests that are passed one by one.
template <detail::Waitable... Requests>
void wait_all(Requests&... requests) {
    (requests.wait(), ...);
}

/// Makes progress without blocking, and returns whether the operations of all requests of the range are
/// complete. The range has requests of any kind. Tests them in the order of
/// the range up to the first that is not complete, and throws the first failure in that order. Empty requests
/// count as complete; true if all are empty. The requests are not emptied.
template <std::ranges::forward_range Range>
requires detail::Waitable<std::ranges::range_value_t<Range>>
bool test_all(Range&& requests) {
    for (auto& request : requests) {
        if (!request.test()) {
            return false;
        }
    }
    return true;
}

/// Like test_all(range), for requests that are passed one by one.
template <detail::Waitable... Requests>
bool test_all(Requests&... requests) {
    return (requests.test() && ...);
}

/// Waits until the operation of one Request of the range is complete, empties that request, and returns its
/// index. Empty requests are skipped. Returns the size of the range if all requests are empty. If the
/// operation has failed, empties its request as well, and throws the failure. A function passed to then()
/// that is called meanwhile must not add requests to the range or remove any.
template <std::ranges::forward_range Range>
std::size_t wait_any(Range&& requests) {
    constexpr bool is_supported = std::same_as<std::ranges::range_value_t<Range>, Request>;
    static_assert(is_supported, "wait_any takes a range of Request: other requests are completed by other "
                                "threads (use wait_all or test_any), and a Persistent cannot be emptied");
    if constexpr (is_supported) {
        detail::AnyOf any(requests);
        const auto look = [&any] { return any.look(); };
        if (!look()) {
            detail::progress_until("wait_any", look);
        }
        return any.take();
    } else {
        return 0;
    }
}

/// Makes progress without blocking. If the operation of one request of the range is complete, empties that
/// request and returns its index, as wait_any() does; otherwise returns std::nullopt. The range has requests
/// of any kind except Persistent. Empty requests are skipped. Returns the size of the range if all requests
/// are empty, so that a loop ends. If an operation has failed, empties its request as well, and throws the
/// failure. A function passed to then() that is called meanwhile must not add requests to the range or remove
/// any.
template <std::ranges::forward_range Range>
std::optional<std::size_t> test_any(Range&& requests) {
    using Each = std::ranges::range_value_t<Range>;
    constexpr bool is_supported = std::derived_from<Each, BasicRequest<detail::RequestBase>>;
    static_assert(is_supported,
                  "test_any takes a range of Request, or of requests that other threads complete: "
                  "a Persistent cannot be emptied (use test_all, or test each)");
    if constexpr (is_supported) {
        detail::AnyOf any(requests);
        any.test(std::same_as<Each, Request>);
        return any.look() ? std::optional(any.take()) : std::nullopt;
    } else {
        return std::nullopt;
    }
}

} // namespace tutti::v0_1
