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
#include <memory>
#include <string>

namespace tutti {

namespace c {
class Inside;
}

namespace detail {

class RendezvousState;
TUTTI_API RequestBase& arrive(RendezvousState& state, int rank, const Call& call);

} // namespace detail

/// What may be chosen for a Rendezvous.
struct RendezvousOptions {
    /// Shares in the work of large operations. Without one, the last rank to arrive does all of it.
    Executor executor = {};
    /// Bytes that a slice touches; an operation of two and more is handed to the executor. 0: at least
    /// 256 KiB, and no more than 8 slices for each CPU, from where on the machine's profile says that it
    /// pays.
    std::size_t slice_bytes = 0;
    /// How long who waits for a request waits for ranks that have not arrived, until all requests of that
    /// operation throw a TimeoutError that says who is where; ranks that come later get it as well, and
    /// nothing is touched. Who tests a request again and again waits, from its first test on.
    /// Options::deadline of a call takes its place. Where nobody waits or tests nobody looks at a clock. 0:
    /// as long as the environment variable TUTTI_TIMEOUT says, in seconds, else for ever.
    std::chrono::milliseconds deadline = {};
};

/// The calls of one rank of a Rendezvous, from which it must not be kept longer than that lasts.
class Arriving : public Collectives<Arriving, detail::NonblockingWay> {
public:
    /// For the library: Rendezvous::at() makes one.
    Arriving(detail::RendezvousState& state, int rank, int size) : state_(&state), rank_(rank), size_(size) {}

    /// The rank that it acts for.
    int rank() const { return rank_; }
    /// The number of ranks.
    int size() const { return size_; }

private:
    friend class Collectives<Arriving, detail::NonblockingWay>;
    friend class c::Inside;
    Request run(const detail::Call& call, const Options& /*in the call*/) {
        return Request(detail::arrive(*state_, rank_, call));
    }

    detail::RendezvousState* state_;
    int rank_;
    int size_;
};

/// Collectives among ranks that are only names, for tasks and pools of threads: whoever acts for a rank
/// brings its operands and goes away, `Request sum = meeting.at(rank).allreduce(in, out, tutti::sum)`. No
/// thread waits. The last rank to arrive has everything: its thread carries the operation out, or hands
/// slices of it to an executor.
///
/// All ranks make the same calls in the same order, each from any threads, but one after the other. Different
/// ranks may arrive at the same time, and any number of operations ahead of others. Operands are combined in
/// the order that the options say (Order). Calls cannot name an algorithm.
///
/// Requests are those of Member::start, with these differences. Any thread may use a request. It takes one
/// function or coroutine in all, also where it is complete. One that is destroyed does not wait: the vectors
/// still belong to the operation. wait() blocks the thread until others have brought what is missing, which
/// is nothing for a worker that they need; then it does what the executor has not begun. wait_any() does not
/// serve. then() calls its function, and a coroutine goes on, on the thread that completes the operation,
/// within the call of the last rank, on a thread of the executor, within a wait(), or at the end of what that
/// thread has been called for already. Such a function must not throw.
///
/// Where the calls of the ranks differ, or overlap in memory, nothing is touched and all requests throw
/// MismatchError. What the operator or the executor throws, all requests throw. The next operations are not
/// affected. ArgumentError is thrown at once, and its rank has not arrived.
class TUTTI_API Rendezvous {
public:
    /// Throws ArgumentError unless `ranks` is in 1..65535.
    explicit Rendezvous(int ranks, const RendezvousOptions& options = {});
    /// Requests of operations at which not all ranks have arrived throw Error. Those that an executor still
    /// carries out are completed.
    ~Rendezvous();
    Rendezvous(const Rendezvous&) = delete;
    Rendezvous& operator=(const Rendezvous&) = delete;
    Rendezvous(Rendezvous&&) = delete;
    Rendezvous& operator=(Rendezvous&&) = delete;

    /// The number of ranks.
    int size() const;

    /// Who is where, as Group::roll_call(): of each rank the last arrival. By any thread.
    std::string roll_call(RollCallFormat format = RollCallFormat::text) const;

    /// Throws ArgumentError where there is no such rank.
    Arriving at(int rank);

private:
    std::shared_ptr<detail::RendezvousState> state_;
};

} // namespace tutti
