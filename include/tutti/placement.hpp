#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/detail/standard.hpp>

#include <string>
#include <vector>

namespace tutti {

/// The CPU of each of so many threads where a Team with this `placement` (TeamOptions) would pin them, -1 for
/// one that is not pinned; 0 threads: one on each allowed CPU. Throws ArgumentError where a team would.
TUTTI_API std::vector<int> cpus_of_placement(const std::string& placement, int threads);

/// Pins the calling thread to a CPU, as a Team does its own, for as long as this lasts; then it has the CPUs
/// again that it had before. Where the system refuses, and with CPU -1, the thread stays as it is.
class TUTTI_API PinnedThread {
public:
    /// `cpu` as the system numbers them.
    explicit PinnedThread(int cpu);
    /// By any thread.
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

} // namespace tutti
