#pragma once

#include "immovable.hpp"
#include "options/bench_options.hpp"

#include <sys/types.h>

#include <span>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// Processes that each want a CPU all the time, until this object ends, or the thread that has made it.
class BusyLoops : Immovable {
public:
    /// Throws EnvironmentUnfit if there cannot be so many.
    explicit BusyLoops(int loops);
    ~BusyLoops();

private:
    void end() noexcept;

    std::vector<pid_t> children_;
};

/// The measured times of members.
struct WaitTimes {
    double us_per_call = 0;
    /// CPU time of one member.
    double cpu_us_per_call = 0;
};

/// A way in which threads wait for each other: those of a group, and two that programs have without one.
struct WayToWait {
    std::string_view name;
    /// Allreduce of 8 bytes again and again for so many seconds, each time after `work` turns of a loop. One
    /// thread for each of `cpus`, on that CPU unless it is machine::unpinned.
    WaitTimes (*measure)(std::span<const int> cpus, double seconds, long work);
};

std::span<const WayToWait> ways_to_wait();

/// How many turns of the loop take so long on a CPU that nobody else wants.
long turns_for(double us);

/// `tutti bench --busy`: allreduce of 8 bytes beside busy loops of other processes, by each way to wait, all
/// in turns. Prints a table of the medians. Returns an exit code.
int run_busy(const BenchOptions& options);

} // namespace tutti::bench
