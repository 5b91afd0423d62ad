#pragma once

#include "measure/harness.hpp"

#include <mpi.h>

#include <cstddef>

namespace tutti::bench {

/// The harness's memory, in a window that all processes of a node map. `process` is the rank in the
/// communicator.
class HarnessWindow {
public:
    HarnessWindow(MPI_Comm communicator, int process, int members, bool crowded, std::size_t stamps) {
        const auto bytes = static_cast<MPI_Aint>(HarnessMemory::bytes(members, stamps));
        void* own = nullptr;
        MPI_Win_allocate_shared(process == 0 ? bytes : 0, 1, MPI_INFO_NULL, communicator, &own, &window_);
        MPI_Aint size = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, 0, &size, &unit, &memory_);
        if (process == 0) {
            HarnessMemory::create(memory_, members, crowded);
        }
        MPI_Barrier(communicator);
    }
    ~HarnessWindow() { MPI_Win_free(&window_); }
    HarnessWindow(const HarnessWindow&) = delete;
    HarnessWindow& operator=(const HarnessWindow&) = delete;

    void* memory() const { return memory_; }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    void* memory_ = nullptr;
};

} // namespace tutti::bench
