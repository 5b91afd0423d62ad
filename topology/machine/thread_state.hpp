#pragma once

#include <tutti/detail/export.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace tutti::machine {

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

} // namespace tutti::machine
