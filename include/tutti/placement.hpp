// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/team.hpp>

#include <vector>

namespace tutti::v0_1 {

/// The CPUs to which a Team with this `placement` would pin `threads` threads if it were made now, beside the
/// living teams of the process; -1 for a thread that is not pinned. 0 threads: as many as a Team without a
/// number has. Throws ArgumentError under the same conditions as a team.
TUTTI_API std::vector<int> cpus_of_placement(const Placement& placement, int threads);

/// Pins the calling thread to a CPU while the object exists; the destructor restores the thread's previous
/// CPUs. If the system rejects the pinning, or the CPU is -1, the thread stays as it is.
class TUTTI_API PinnedThread {
public:
    /// `cpu` is the system's number of the CPU.
    explicit PinnedThread(int cpu);
    /// Any thread may call it.
    ~PinnedThread();
    PinnedThread(const PinnedThread&) = delete;
    PinnedThread& operator=(const PinnedThread&) = delete;
    PinnedThread(PinnedThread&&) = delete;
    PinnedThread& operator=(PinnedThread&&) = delete;

    /// Whether the thread was pinned to the CPU.
    bool is_pinned() const noexcept { return is_pinned_; }

private:
    int cpu_;
    int thread_;
    std::vector<int> before_;
    bool is_pinned_ = false;
};

} // namespace tutti::v0_1
