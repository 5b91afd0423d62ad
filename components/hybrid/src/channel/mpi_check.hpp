#pragma once

#include <mpi.h>

#include <memory>

namespace tutti::hybrid {

/// Throws Error with the text of an MPI error code that is not MPI_SUCCESS; `what` names the MPI call.
void check(int code, const char* what);

/// Throws ArgumentError unless MPI has been initialised and not yet finalised.
void require_mpi();
/// The same if MPI has been initialised.
void require_unfinalised_mpi();

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

} // namespace tutti::hybrid
