#pragma once

#include <tutti/collectives.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/executor.hpp>
#include <tutti/request.hpp>
#include <tutti/start.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE {

namespace c {
class Inside;
}

namespace detail {

class AsyncGroupState;
TUTTI_API RequestBase& arrive(AsyncGroupState& state, int rank, const Call& call);

} // namespace detail

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
    friend class c::Inside;
    AsyncRequest run(const detail::Call& call, const Options& /*in the call*/) {
        return AsyncRequest(detail::arrive(*state_, rank_, call));
    }

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
    AsyncGroup(AsyncGroup&&) = delete;
    AsyncGroup& operator=(AsyncGroup&&) = delete;

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

} // namespace tutti::inline TUTTI_NAMESPACE
