#include "hybrid/src/channel/mpi_check.hpp"

#include <tutti/error.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace tutti::hybrid {

void check(int code, const char* what) {
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw Error(std::string(what) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

void require_mpi() {
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised == 0) {
        throw ArgumentError("MPI is not initialised: call MPI_Init_thread first");
    }
    require_unfinalised_mpi();
}

void require_unfinalised_mpi() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised != 0) {
        throw ArgumentError("MPI has been finalised: clusters and their calls must come to an end before");
    }
}

/// Allocates nothing if all is well: a process that fails here alone leaves the others waiting.
void require_communicator(const char* who, MPI_Comm communicator) {
    require_mpi();
    const auto refuse = [who](const char* what) {
        throw ArgumentError(std::string(who) + ": `communicator` is " + what);
    };
    if (communicator == MPI_COMM_NULL) {
        refuse("MPI_COMM_NULL; pass one of which this process is a member");
    }
    int is_inter = 0;
    check(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
    if (is_inter != 0) {
        refuse("an inter-communicator; merge it first (MPI_Intercomm_merge)");
    }
}

void keep(std::shared_ptr<Keepable> memory) noexcept {
    static std::mutex mutex;
    // Without an end: destructors may make calls of MPI, which has been finalised by the end of the process.
    alignas(std::shared_ptr<Keepable>) static std::array<std::byte, sizeof(std::shared_ptr<Keepable>)> room;
    static std::shared_ptr<Keepable>& last_kept = *new (room.data()) std::shared_ptr<Keepable>;
    const std::lock_guard lock(mutex);
    if (!memory->is_kept) {
        memory->is_kept = true;
        memory->next_kept = std::move(last_kept);
        last_kept = std::move(memory);
    }
}

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
