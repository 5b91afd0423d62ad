// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/collectives.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/request_base.hpp>
#include <tutti/executor.hpp>
#include <tutti/request.hpp>
#include <tutti/start.hpp>

#include <cstddef>
#include <string>

namespace tutti::v0_1 {

namespace c_api {
class Inside;
}

namespace detail {

class AsyncGroupState;
TUTTI_API RequestBase& arrive(AsyncGroupState& state, int rank, const Call& call);

/// Throws Error if the stack of the calling thread must not be suspended now, because an AsyncGroup has
/// called a function on it.
TUTTI_API void require_movable_stack();

} // namespace detail

/// An outstanding operation of a rank of an AsyncGroup, returned by the calls of AsyncRank. It can be moved,
/// not copied. An empty request waits for nothing; see valid(). tutti/basic_request.hpp describes each
/// function.
///
/// @warning Neither the destructor nor an assignment waits for the operation. The buffers of the call belong
/// to the operation until it is complete, even if no request is left: the program must not free or write
/// them, nor read an output. If a request without a function or coroutine is dropped before that, the group
/// logs one warning (set_log()); detach() prevents it.
///
/// @warning wait() blocks the thread until the operation is over. Never call it on a pool worker that the
/// missing ranks need in order to run: the pool would deadlock. Use then() or co_await there.
///
/// Any thread may use the request. Several threads may test it, or wait for it, at the same time.
///
/// The executor of an AsyncGroup runs a large operation in slices: parts of the buffers that are independent
/// of each other (AsyncGroupOptions::slice_bytes). Once all ranks have arrived, wait() and wait_for() run the
/// slices that the executor has not started; wait_for() may therefore return late. test() runs none.
///
/// A request accepts one function or coroutine in total. If the operation is already over, then() calls the
/// function at once. Otherwise the thread that ends the operation calls it: the thread of the last rank, a
/// thread of the executor, or a thread in wait(), wait_for() or test(), which also end operations whose
/// timeout has expired. If that thread is inside another call of the library, the function runs at the end of
/// that call. The function must not throw.
///
/// If the operation failed, each test(), wait(), wait_for() and co_await throws the cause, with the same
/// fields for all requests: MismatchError if the ranks made different calls (`rank` and `peer` are two of
/// these ranks; no `where`), TimeoutError if ranks were missing for too long (`rank` is that whose wait timed
/// out, `peer` the lowest that has not arrived), Error if the AsyncGroup was destroyed (`peer` has not
/// arrived), or the exception of the operator or the executor.
class [[nodiscard("only the request reports that the operation is complete or has failed")]] AsyncRequest
    : public BasicRequest<detail::RequestBase> {
public:
    AsyncRequest() = default;
    /// Internal: the calls of AsyncRank return requests.
    explicit AsyncRequest(detail::RequestBase & operation) noexcept : BasicRequest(operation) {}

    /// Gives the request up, without the warning. The buffers belong to the operation until it is complete,
    /// which something else must report. This object is empty afterwards.
    void detach() noexcept {
        if (valid()) {
            operation()->detach();
        }
        *this = AsyncRequest();
    }
};

/// Options of an AsyncGroup.
struct AsyncGroupOptions {
    /// Runs parts of large operations on other threads. Without an executor, the last rank to arrive does all
    /// of the work.
    Executor executor = {};
    /// Bytes of memory that a slice reads and writes. The executor runs an operation if it has two or more
    /// slices. 0: the library chooses: one slice below the machine's parallel threshold (`tutti info` prints
    /// it as `parallel`), and otherwise at most 8 slices per CPU, each of at least 256 KiB.
    std::size_t slice_bytes = 0;
    /// Timeout for an operation with missing ranks. On expiry all requests of the operation throw
    /// TimeoutError, whose message lists where each rank is; functions of then() get it, and coroutines throw
    /// it. No buffer is read or written. A rank that is late must still make its call, whose request throws
    /// TimeoutError as well. Later operations are not affected. Options::timeout of a call replaces it.
    ///
    /// The timeout is checked only while a thread waits for a request or tests it. Each wait() has a clock,
    /// which starts when it has waited for 100 us, or earlier if the thread goes to sleep. The calls of
    /// test() and wait_for() have one clock per request, which starts at the first of them.
    ///
    /// Default: the environment variable TUTTI_TIMEOUT, in seconds or "never", and `never` if it is not set.
    Timeout timeout = {};
};

/// Makes the calls of one rank of an AsyncGroup, which must live as long as this object.
class AsyncRank : public Collectives<AsyncRank, detail::NonblockingWay> {
public:
    /// Internal: use AsyncGroup::at().
    AsyncRank(detail::AsyncGroupState& state, int rank, int size)
        : state_(&state), rank_(rank), size_(size) {}

    /// The rank whose calls it makes.
    int rank() const { return rank_; }
    /// The number of ranks.
    int size() const { return size_; }

private:
    friend class Collectives<AsyncRank, detail::NonblockingWay>;
    friend class c_api::Inside;
    AsyncRequest run(const detail::Call& call) { return AsyncRequest(detail::arrive(*state_, rank_, call)); }

    detail::AsyncGroupState* state_;
    int rank_;
    int size_;
};

/// Collectives among ranks that are not bound to threads, for tasks and thread pools. Any thread may make the
/// call of a rank; the call passes the rank's operands and returns without waiting for the other
/// ranks: `AsyncRequest sum = group.at(rank).allreduce(in, out, tutti::sum)`. The thread of the last rank
/// to arrive executes the operation, or passes slices of it to an executor.
///
/// All ranks must make the same calls in the same order. The calls of one rank may come from different
/// threads, but not at the same time. Calls of different ranks may be made at the same time. A rank may be
/// any number of operations ahead of the others. Options::order selects the order of operands. Calls cannot
/// name an algorithm.
///
/// If the calls of the ranks differ, or their buffers overlap, no buffer is read or written and all requests
/// throw MismatchError. If the operator or the executor throws, all requests throw that exception. Later
/// operations are not affected. A call with a wrong argument throws ArgumentError itself, and its rank has
/// not arrived.
class TUTTI_API AsyncGroup {
public:
    /// Throws ArgumentError unless `ranks` is in 1 .. 65535.
    explicit AsyncGroup(int ranks, const AsyncGroupOptions& options = {});
    /// Does not wait. Operations that an executor is still running will be completed. If ranks are missing at
    /// an operation, its requests throw Error; functions of then() get it, and coroutines throw it. Requests
    /// may outlive the group.
    ~AsyncGroup();
    AsyncGroup(const AsyncGroup&) = delete;
    AsyncGroup& operator=(const AsyncGroup&) = delete;

    /// The number of ranks.
    int size() const;

    /// A report of the last arrival of each rank; see Group::roll_call(). Any thread may call it.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;

    /// Returns the object that makes the calls of `rank`. Throws ArgumentError if `rank` is negative or not
    /// less than size().
    AsyncRank at(int rank);

private:
    detail::AsyncGroupState* state_; ///< destroys itself, after the last request
};

} // namespace tutti::v0_1
