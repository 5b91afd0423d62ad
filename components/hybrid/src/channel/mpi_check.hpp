#pragma once

#include <mpi.h>

#include <exception>
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

} // namespace tutti::hybrid
