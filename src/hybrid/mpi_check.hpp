#pragma once

#include <memory>

namespace tutti::hybrid {

/// Throws Error with the text of an MPI error code that is not MPI_SUCCESS; `what` names the MPI call.
void check(int code, const char* what);

/// Throws ArgumentError unless MPI has been initialised and not yet finalised.
void require_mpi();
/// The same where MPI has been initialised.
void require_unfinalised_mpi();

/// Keeps memory until the process ends: that which MPI may still use, whenever it is called.
void keep(std::shared_ptr<void> memory);

} // namespace tutti::hybrid
