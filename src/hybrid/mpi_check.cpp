#include "hybrid/mpi_check.hpp"

#include <tutti/error.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

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

void keep(std::shared_ptr<void> memory) {
    static std::mutex mutex;
    static std::vector<std::shared_ptr<void>> kept;
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(memory));
}

} // namespace tutti::hybrid
