#pragma once

#include "immovable.hpp"

#include <tutti/detail/export.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace tutti::machine {

/// A number that a child of fork() does not share with its parent. Costs no system call.
TUTTI_COMPONENT_API std::uint64_t this_process();

/// A mutex of something that the process has once. A child of fork() has only the thread that has forked, so
/// that a mutex which another thread of the parent held would stay locked for ever: fork() waits for all of
/// these. Lasts until the end of the process.
class ProcessMutex : Immovable {
public:
    /// A thread that holds an outer one may lock inner ones.
    enum class Order : bool { outer, inner };
    TUTTI_COMPONENT_API explicit ProcessMutex(Order order = Order::inner);

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    friend class ProcessMutexes;

    std::mutex mutex_;
    ProcessMutex* next_ = nullptr;
    Order order_;
};

/// The system's report on a thread of this process.
struct ThreadState {
    std::string name;
    /// As in /proc: R runs or could, S sleeps, D waits for a device, T or t is stopped.
    char state = '?';
    /// The CPU on which it runs, or ran last.
    int cpu = 0;
};

/// The system's number of the calling thread. Costs a system call once in a thread's life.
TUTTI_COMPONENT_API int this_thread() noexcept;

/// Nothing if there is no such thread any more. Microseconds.
std::optional<ThreadState> thread_state(int thread);

/// The CPU time that a thread has used, below 0 if there is no such thread any more.
std::chrono::nanoseconds thread_cpu_time(int thread) noexcept;

/// How many CPUs this process can keep busy all the time before a control group that it is in stops it
/// (cpu.max, cpu.cfs_quota_us): the least of all groups on the way up, rounded down, at least 1. Nothing if
/// there is no limit. Reads a few files under `root`.
std::optional<int> quota_cpus(const std::string& root = "/");

} // namespace tutti::machine
