#pragma once

#include "execute/failure.hpp"
#include "hybrid/claim.hpp"
#include "mailbox/wait.hpp"

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tutti::hybrid {

/// Throws Error with the text of an MPI error code that is not MPI_SUCCESS; `what` names the MPI call.
void check(int code, const char* what);

/// Throws ArgumentError unless MPI has been initialised and not yet finalised.
void require_mpi();

/// A communicator of its own among the processes, for one thread at a time; and the waiting for others, which
/// drives MPI's progress, and ends with an error when another process has failed or nobody answers.
class Wire {
public:
    /// Duplicates `parent`. Collective.
    explicit Wire(MPI_Comm parent);
    /// Collective, unless the wire was abandoned or MPI has been finalised.
    ~Wire();
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    Wire(Wire&&) = delete;
    Wire& operator=(Wire&&) = delete;

    MPI_Comm communicator() const { return communicator_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    /// What ends a wait: `control` carries the failures of other processes, `failure` is that of this one,
    /// which must outlive the wire; a deadline of 0 is none.
    void set_limits(std::chrono::milliseconds deadline, MPI_Comm control, const execute::Failure& failure) {
        deadline_ = deadline;
        control_ = control;
        failure_ = &failure;
    }
    void set_patience(const mailbox::Patience& patience) { patience_ = patience; }

    /// Starts to send or receive the pieces of `message` as one message.
    struct Piece {
        std::byte* address = nullptr;
        std::size_t bytes = 0;
    };
    void send(std::span<const Piece> message, int peer);
    void receive(std::span<const Piece> message, int peer);

    /// Notes the nonblocking collective on communicator() that a call of MPI, `what`, has started.
    void started_collective(int code, const char* what, MPI_Request request);

    /// Returns when all that was started has been done. Throws Aborted when another process has failed, and
    /// Error at the deadline. When this or one of the others throws, what was started has been given up.
    void wait();

    /// Whether a collective was given up that MPI had not ended: it cannot be cancelled, and MPI may go on
    /// with it, and with its memory, whenever it is called. See keep().
    bool is_stuck() const { return stuck_; }

    /// Lets the destructor leave the communicator alone: a cluster that has failed ends without others.
    void abandon() { abandoned_ = true; }

private:
    void look_for_failures(std::chrono::steady_clock::time_point first_look);
    void give_up() noexcept;
    bool is_done();
    void give_up_collectives() noexcept;
    /// Notes what a call of MPI has started.
    void started(int code, const char* what, MPI_Request request, int awaited);
    /// Why no answer within the deadline is an error.
    std::string overdue() const;

    MPI_Comm communicator_ = MPI_COMM_NULL;
    MPI_Comm control_ = MPI_COMM_NULL;
    const execute::Failure* failure_ = nullptr;
    int rank_ = 0;
    int size_ = 1;
    bool abandoned_ = false;
    bool stuck_ = false;
    mailbox::Patience patience_;
    std::chrono::milliseconds deadline_{0};
    std::vector<MPI_Request> requests_;
    /// Whom each of the requests waits for: the peer of a receive, nobody for a send, or everybody.
    std::vector<int> awaited_;
    /// The last collective, for messages of errors.
    const char* collective_ = "";
};

/// Keeps memory until the process ends: that of a collective on a wire that is stuck.
void keep(std::shared_ptr<void> memory);

/// Tells all other processes on the control communicator that this one has failed. Does not throw.
void tell_failure(MPI_Comm control, const std::string& text) noexcept;

/// Returns when all processes have made the same claim. ceil(log2 N) messages from each process. Throws
/// MismatchError on all processes when they have not.
void agree(Wire& wire, const Claim& claim);

/// What precedes the payload of a message that nobody has agreed on before.
/// A cache line, so that what follows is aligned.
struct alignas(64) Header {
    Claim claim;
    /// Whether the message is one of agree().
    std::uint64_t agreement = 0;
};

/// The longest message with a header, header included: what receivers have room for, whatever comes.
inline constexpr std::size_t most_headed_bytes = 8192 + 64;

/// Throws MismatchError when the header that came from `peer` does not go with one's own.
void compare(const Header& own, const Header& received, int process, int peer);

} // namespace tutti::hybrid
