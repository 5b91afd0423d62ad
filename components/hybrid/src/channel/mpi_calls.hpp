#pragma once

#include "call/call_signature.hpp"
#include "immovable.hpp"
#include "machine/machine.hpp"
#include "mixed.hpp"

#include <mpi.h>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::hybrid {

/// Throws Error with the text of an MPI error code that is not MPI_SUCCESS; `what` names the MPI call.
void check(int code, const char* what);

/// Throws ArgumentError unless MPI has been initialised and not yet finalised.
void require_mpi();
/// The same if MPI has been initialised.
void require_unfinalised_mpi();

/// Whether this is the thread that has initialised MPI; not if that cannot be found out.
bool is_main_thread() noexcept;

/// Throws ArgumentError unless MPI can be used and `communicator` is an intracommunicator; `who` is its user,
/// for the error.
void require_communicator(const char* who, MPI_Comm communicator);

/// Memory that MPI may come to use for longer than its owner does.
struct Keepable {
    std::shared_ptr<Keepable> next_kept;
    bool is_kept = false;
};

/// Keeps memory until the process ends: that which MPI may still use, whenever it is called. Allocates
/// nothing.
void keep(std::shared_ptr<Keepable> memory) noexcept;

/// Throws `thrown`, this process's failure, unless it is null, and Aborted when another process has one.
/// Collective.
void share_failure(MPI_Comm communicator, const std::exception_ptr& thrown);

/// Does work in which one process alone may fail, though all have to go on or none. Collective; `work` is
/// not.
template <class Work>
void together(MPI_Comm communicator, Work work) {
    std::exception_ptr thrown;
    try {
        work();
    } catch (...) {
        thrown = std::current_exception();
    }
    share_failure(communicator, thrown);
}

/// Lets one thread have its MPI calls made by the one that may make them, which waits here meanwhile.
class MainThread {
public:
    /// Runs `work` on the thread that serves, and returns or throws as it does. By one thread at a time, or
    /// by the one that serves.
    void run_there(const std::function<void()>& work);

    /// Serves until finish() is called.
    void serve();
    void finish();
    bool serves();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* work_ = nullptr;
    std::exception_ptr thrown_;
    bool finished_ = false;
    std::thread::id server_;
};

/// Sends the failures of a process of a cluster to the others, on a communicator that carries nothing else.
class FailureChannel : Immovable {
public:
    /// The tag of its messages.
    static constexpr int tag = 2;

    /// Among so many processes, once it is open. With one process, it need not be opened.
    explicit FailureChannel(int processes);
    ~FailureChannel();

    /// The communicator must outlive it.
    void open(MPI_Comm communicator) { communicator_ = communicator; }

    /// Sends the failure to all other processes. Once. Allocates nothing.
    void tell(const std::exception_ptr& cause) noexcept;

    /// Throws the failure that another process has sent, if there is one: TimeoutError or Aborted. By any
    /// threads that may call MPI.
    void throw_reported() const;

private:
    static constexpr std::size_t most_text = 512;

    /// Nobody waits for the messages to arrive, so they may outlive the cluster.
    struct Sent : Keepable {
        /// The kind of the failure, and its text.
        std::array<char, most_text> text{};
        std::vector<MPI_Request> requests;
    };

    MPI_Comm communicator_ = MPI_COMM_NULL;
    std::shared_ptr<Sent> sent_ = std::make_shared<Sent>();
    bool told_ = false;
};

/// The calls of a process on one channel: the last calls that differ from the one before, and a digest of
/// all.
class CallTrail {
public:
    /// The next call: its number is higher than that of the last one. `digest` is that of its call signature.
    void add(std::uint64_t number, const library::CallSignature& call_signature, std::uint64_t digest) {
        digests_[number % digests_.size()] = mixed(this->digest(), digest);
        calls_.show(number, call_signature, digest);
    }

    /// The number of the last call; 0 before the first.
    std::uint64_t number() const { return calls_.number(); }
    /// The digest of all calls.
    std::uint64_t digest() const { return digests_[number() % digests_.size()]; }
    /// The digest of all calls up to that one; empty if it is not known, or not any more.
    std::optional<std::uint64_t> digest_at(std::uint64_t number) const;
    library::CallHistory history() const { return *calls_.read(); }

private:
    /// By number.
    std::array<std::uint64_t, 64> digests_{};
    library::ShownCalls<library::CallLog> calls_;
};

/// Probes of processes that wait for long: they send a summary of their calls to the processes for which they
/// wait. Messages of different calls never match, so processes in different calls find out only by this. At
/// most one probe of a process to another is under way, and a process sends one per call unless its summary
/// has changed.
class MismatchProbe {
public:
    /// The message of one process to another about its trail.
    struct Summary {
        static constexpr std::size_t most_calls = 8;
        static constexpr std::size_t most_text = 96;

        std::uint64_t number = 0;
        std::uint64_t digest = 0;
        /// How far it has come on the other channel, and whether it goes no further there before its last
        /// call here is complete.
        std::uint64_t begun_on_other = 0;
        bool is_stuck = false;
        /// The last calls that differ from the one before, in order, and the types that their signatures
        /// name, for users.
        std::uint64_t size = 0;
        std::array<library::CallRecord, most_calls> calls{};
        std::array<std::array<char, most_text>, most_calls> types{};

        Summary() = default;
        explicit Summary(const CallTrail& trail);
        library::CallHistory history() const;
    };

    /// Among so many processes, once it is open.
    explicit MismatchProbe(int processes);

    /// On a communicator that has `tag` for probes alone.
    void open(MPI_Comm communicator, int tag) {
        communicator_ = communicator;
        tag_ = tag;
    }

    /// Sends a probe to `peer`, unless there is no memory for it. Returns at once. See Summary.
    void ask(int peer, const CallTrail& own, std::uint64_t begun_on_other, bool is_stuck);

    /// Receives the probes that have come, and compares. Throws MismatchError.
    void hear(int process, const CallTrail& own);
    /// Throws MismatchError if a process that has sent a probe waits here for this one to begin a call after
    /// the `begun`-th, while this one waits for it in its last call on another channel.
    void compare_crossing(int process, std::uint64_t begun, const CallTrail& other) const;

    /// The number of probes sent to each process, and received from each, by process. Nobody may free the
    /// communicator before all probes have been received.
    const int* asked() const { return kept_->asked_counts.data(); }
    int* due() { return kept_->due_counts.data(); }
    /// Receives the probes that are due and have not been received, and returns when the others have received
    /// theirs. By all processes.
    void settle();

    /// The memory that MPI may use as long as the communicator exists.
    std::shared_ptr<Keepable> memory() const { return kept_; }

private:
    struct Asked {
        MPI_Request request = MPI_REQUEST_NULL;
        Summary summary;
    };
    struct Kept : Keepable {
        std::vector<int> asked_counts;
        std::vector<int> due_counts;
        /// By peer; made for the first probe.
        std::vector<Asked> asked;
    };

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int tag_ = 0;
    std::vector<int> taken_counts_;
    std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
    /// The summaries of processes that are calls ahead, with their senders.
    std::vector<std::pair<int, Summary>> ahead_;
};

/// The processes of a communicator that run on this one's node, and the CPUs that each is allowed.
class Node : Immovable {
public:
    /// Collective over `communicator`. Made by all its processes, or by none.
    explicit Node(MPI_Comm communicator);
    ~Node();

    int rank() const { return rank_; }
    /// The CPUs of each process, ascending.
    const std::vector<std::vector<int>>& cpus() const { return cpus_; }
    /// The CPUs that they have together, ascending.
    const std::vector<int>& all_cpus() const { return all_cpus_; }
    /// The sum of all processes' values. Collective over the node.
    int total(int value) const;

private:
    Node() = default;

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    std::vector<std::vector<int>> cpus_;
    std::vector<int> all_cpus_;
};

/// The CPUs for process `rank` when the processes of a node, allowed `cpus`, divide them, one on each core
/// first; `note` gets the rule. `machine` has the CPUs of the process. Pure, so that machines other than this
/// one can be tried.
std::vector<int> divided(const machine::Machine& machine, const std::vector<std::vector<int>>& cpus, int rank,
                         std::string& note);

} // namespace tutti::hybrid
