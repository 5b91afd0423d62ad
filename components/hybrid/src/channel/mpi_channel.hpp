#pragma once

#include "group/seat.hpp"
#include "group/shared_memory.hpp"
#include "hybrid/src/channel/mpi_calls.hpp"
#include "mailbox/wait.hpp"
#include "wait/failure.hpp"
#include "wait/thread_progress.hpp"
#include "wait/wait_timer.hpp"

#include <algorithm>
#include <chrono>
#include <span>

namespace tutti::hybrid {

/// A communicator of its own among the processes, for one thread at a time; and the waiting for others, which
/// drives MPI's progress, and ends with an error when another process has failed, is in another call, or does
/// not answer.
///
/// The tag of a message is a digest of the sender's calls so far: messages of processes that are in different
/// calls, or have been, never match.
class MpiChannel : Immovable {
public:
    /// Among so many processes, once it is open. With one process, it need not be opened.
    explicit MpiChannel(int processes);
    /// Leaves the communicator alone unless the channel was closed.
    ~MpiChannel();

    /// Duplicates `parent`. Collective.
    void open(MPI_Comm parent);
    /// For some processes of `parent`, in this order. Collective over these. Nobody may probe `parent` for
    /// messages with the tag, because Open MPI 4.1 uses it for messages there.
    void open(MPI_Comm parent, const std::vector<int>& processes, int tag);

    MPI_Comm communicator() const { return communicator_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    /// The limits of a wait: the failures of other processes, the one of this process, a timeout; 0 is none.
    /// Both must outlive all waits.
    void set_limits(std::chrono::milliseconds timeout, const FailureChannel& others,
                    const library::Failure& failure) {
        timeout_ = timeout;
        others_ = &others;
        failure_ = &failure;
    }
    /// The timeout of the calls from here on.
    void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
    /// The process for which it waits; this one if that is not known.
    const library::ShownWait& shown_wait() const { return shown_; }
    void set_wait_policy(const mailbox::WaitPolicy& wait_policy) { wait_policy_ = wait_policy; }
    const mailbox::WaitPolicy& wait_policy() const { return wait_policy_; }

    /// The messages from here on belong to that call of the cluster, whose signature has this digest. Nothing
    /// when it is the last one once more.
    void begin(std::uint64_t number, const library::CallSignature& call_signature, std::uint64_t digest) {
        if (trail_.number() != number) {
            trail_.add(number, call_signature, digest);
            begun_ = std::max(begun_, number);
            set_tag();
        }
    }
    /// The same for an operation whose messages follow later.
    void note_begun(std::uint64_t number) { begun_ = number; }
    /// The channel on which the same processes make other calls.
    void set_other(MpiChannel& other) { other_ = &other; }
    /// Whether the calling thread does nothing else before the last call on this channel is complete.
    void set_stuck(bool is_stuck) { is_stuck_ = is_stuck; }

    /// Starts to send or receive the pieces of `message` as one message.
    struct Piece {
        std::byte* address = nullptr;
        std::size_t bytes = 0;
    };
    void send(std::span<const Piece> message, int peer) { start(message, peer, Role::send); }
    void receive(std::span<const Piece> message, int peer) { start(message, peer, Role::receive); }

    /// The place for the request of a nonblocking collective on communicator(). Then started() takes the
    /// return value of the MPI call.
    MPI_Request& next_collective(const char* what) {
        collective_ = what;
        return next(0, Role::collective);
    }
    void started(int code, const char* what) {
        if (code != MPI_SUCCESS) {
            not_started(code, what);
        }
    }

    /// Returns when all started messages are complete. Throws Aborted when a process has failed,
    /// MismatchError when one is in another call, and TimeoutError at the timeout. When this or one of the
    /// others throws, all started messages have been given up.
    void wait();
    /// Returns whether all are complete now. Throws as wait() does.
    bool test();
    /// Calls go_on(), which goes as far as that goes without waiting, until it returns true: nothing is left.
    /// In between waits for what was started, or, unless `waits`, returns false if that has not come. Gives
    /// up all started messages if anything throws, because nobody else does.
    template <class GoOn>
    bool carry_on(bool waits, GoOn go_on) try {
        while (!go_on()) {
            if (waits) {
                wait();
            } else if (!test()) {
                return false;
            }
        }
        return true;
    } catch (...) {
        give_up();
        throw;
    }
    /// Whether something was started that no wait() or test() has found done.
    bool awaits_messages() const { return !started_.empty(); }
    /// While it waits, the outstanding operations of that thread make progress; null: none.
    void set_progress(library::ThreadProgress* thread) { progress_ = thread; }

    /// Gives up all started messages: MPI does not use their memory from here on, or is_stuck().
    void give_up(std::chrono::milliseconds grace = longest_grace) noexcept;

    /// Throws Aborted when a process has failed. Called before memory is used that a failed process may have
    /// given back.
    void look_for_failures();

    /// Whether something was given up that MPI had not ended: MPI may go on with it, and with its memory,
    /// whenever it is called. See keep().
    bool is_stuck() const { return stuck_; }

    /// Ends the use of the channel if nothing has failed. Collective: throws when another process fails or
    /// does not answer.
    void close();
    /// The same if no process has sent anything. Collective.
    void close_unused() { closed_ = communicator_ != MPI_COMM_NULL; }

    /// Memory for messages, kept if the channel is stuck.
    struct Buffers : Keepable {
        run::Memory scratch;
        run::Memory landing;
        run::Memory outgoing;
        run::Memory flags;
    };
    Buffers& buffers() { return *buffers_; }
    /// Room for flags, for agree().
    std::span<int> flags(std::size_t count) {
        return {reinterpret_cast<int*>(buffers_->flags.at_least(count * sizeof(int))), count};
    }

private:
    /// How long a message that MPI has begun to send may take to arrive.
    static constexpr std::chrono::milliseconds longest_grace{100};

    enum class Role : std::uint8_t { send, receive, collective };
    struct Started {
        MPI_Request request = MPI_REQUEST_NULL;
        int peer = 0;
        Role role = Role::send;
    };

    void set_up();
    void set_tag();
    void start(std::span<const Piece> message, int peer, Role role);
    /// A place for the request of the next message: made before it starts, since there may be no memory.
    MPI_Request& next(int peer, Role role) {
        return started_.emplace_back(Started{.peer = peer, .role = role}).request;
    }
    void not_started(int code, const char* what);
    bool is_done();
    bool is_done(bool& others_ran);
    void look_or_give_up(library::WaitTimer& waited);
    void look(library::WaitTimer& waited);
    void hear();
    /// Why no answer within the timeout is an error.
    std::string overdue() const;
    /// The processes for whose messages it waits, or that have not taken any, for overdue().
    std::string late() const;

    MPI_Comm communicator_ = MPI_COMM_NULL;
    const FailureChannel* others_ = nullptr;
    const library::Failure* failure_ = nullptr;
    int rank_ = 0;
    int size_ = 1;
    int tag_ = 0;
    int tag_bits_ = 1;
    bool closed_ = false;
    bool stuck_ = false;
    mailbox::WaitPolicy wait_policy_;
    library::LongTurns turns_;
    mailbox::WaitHistory wait_history_;
    std::chrono::milliseconds timeout_{0};
    library::ShownWait shown_;
    library::ThreadProgress* progress_ = nullptr;
    /// For test(): how long it has returned false, and when it has looked.
    std::optional<library::WaitTimer> tested_;
    std::chrono::nanoseconds looked_{0};
    std::vector<Started> started_;
    /// The last collective, for messages of errors.
    const char* collective_ = "";
    CallTrail trail_;
    /// The last call or operation that this process has begun.
    std::uint64_t begun_ = 0;
    MpiChannel* other_ = nullptr;
    bool is_stuck_ = true;
    MismatchProbe mismatch_probe_;
    std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
};

/// Returns when all processes have called it in the same call. ceil(log2 N) messages from each process.
void meet(MpiChannel& channel);

/// Leaves 1 in flags of the channel for which all processes have 1. Collective.
void agree(MpiChannel& channel, std::span<int> flags);

} // namespace tutti::hybrid
