#pragma once

#include "hybrid/src/channel/mpi_check.hpp"
#include "immovable.hpp"

#include <mpi.h>

#include <array>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace tutti::hybrid {

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

} // namespace tutti::hybrid
