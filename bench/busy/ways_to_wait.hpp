#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tutti::bench {

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

} // namespace tutti::bench
