#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE {

/// The CPUs to which a Team with this `placement` (TeamOptions) would pin `threads` threads if it were made
/// now, beside the living teams of the process; -1 for a thread that is not pinned. 0 threads: one per
/// allowed CPU, or per such CPU of the kinds that `placement` names. Throws ArgumentError under the same
/// conditions as a team.
TUTTI_API std::vector<int> cpus_of_placement(const std::string& placement, int threads);

/// The speeds of threads on these CPUs relative to each other: 1024 for a thread that has a core of the
/// fastest kind for itself. The speed of another kind follows from the capacity of its cores that Linux
/// reports, or from their greatest frequency; if neither is known, it is 1024 too. Threads on the same core
/// share its speed. A CPU on which the process may not run, such as the -1 of Team::cpus(), counts as 1024.
/// All numbers are at least 1.
TUTTI_API std::vector<std::size_t> weights_of_cpus(std::span<const int> cpus);

/// Numbers of elements in proportion to `weights`, with the sum `total`, for Counts and loops. The exact
/// shares are rounded down, and the elements that are left go to the largest remainders, one each, at equal
/// remainders to the first. A weight of 0 gets none. Throws ArgumentError if no weight is greater than 0.
/// Takes time in O(n log n) for n weights. The same arguments have the same result on every machine.
TUTTI_API std::vector<std::size_t> counts_in_proportion(std::size_t total,
                                                        std::span<const std::size_t> weights);

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

private:
    int cpu_;
    int thread_;
    std::vector<int> before_;
};

} // namespace tutti::inline TUTTI_NAMESPACE
