#include "hybrid/src/channel/together.hpp"

#include "hybrid/src/channel/mpi_check.hpp"

#include <tutti/error.hpp>

#include <string>

namespace tutti::hybrid {

void share_failure(MPI_Comm communicator, const std::exception_ptr& thrown) {
    int rank = 0;
    int size = 0;
    check(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
    const int own = thrown != nullptr ? rank : size;
    int failed = size;
    check(MPI_Allreduce(&own, &failed, 1, MPI_INT, MPI_MIN, communicator), "MPI_Allreduce");
    if (thrown != nullptr) {
        std::rethrow_exception(thrown);
    }
    if (failed != size) {
        throw Aborted("released because process " + std::to_string(failed) +
                      " failed before it could take part");
    }
}

} // namespace tutti::hybrid
