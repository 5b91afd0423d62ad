#pragma once

#include "hybrid/channel/mpi_check.hpp"
#include "immovable.hpp"

#include <mpi.h>

#include <array>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace tutti::hybrid {

/// How the processes of a cluster tell each other that they have failed: on a communicator that carries
/// nothing else.
class FailureChannel : Immovable {
public:
    /// Of its messages.
    static constexpr int tag = 2;

    /// Among so many processes, once it is open. Of one process, it need not be.
    explicit FailureChannel(int processes);
    ~FailureChannel();

    /// The communicator must outlive it.
    void open(MPI_Comm communicator) { communicator_ = communicator; }

    /// Tells all other processes what has failed. Once. Allocates nothing.
    void tell(const std::exception_ptr& cause) noexcept;

    /// Throws what another process has told, if one has: TimeoutError or Aborted. By any threads that may
    /// call MPI.
    void throw_reported() const;

private:
    static constexpr std::size_t most_text = 512;

    /// Nobody waits for the messages to arrive, so they may outlive the cluster.
    struct Sent : Keepable {
        /// What kind of failure, and what it says.
        std::array<char, most_text> text{};
        std::vector<MPI_Request> requests;
    };

    MPI_Comm communicator_ = MPI_COMM_NULL;
    std::shared_ptr<Sent> sent_ = std::make_shared<Sent>();
    bool told_ = false;
};

} // namespace tutti::hybrid
