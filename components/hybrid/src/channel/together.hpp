#pragma once

#include <mpi.h>

#include <exception>

namespace tutti::hybrid {

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
