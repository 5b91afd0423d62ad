#pragma once

#include <string>
#include <vector>

namespace tutti::machine {

/// What became of one pin_this_thread().
struct PinResult {
    bool pinned = false; ///< the thread is bound to exactly the CPU asked for: read back, not assumed
    int os_index = -1;   ///< the CPU asked for
    std::string reason;  ///< empty if pinned, else why not, for `tutti info`
};

/// Binds the calling thread to one CPU and reads the binding back. A system that refuses is not an error: the
/// thread then keeps running where it was, and the result says why. `unpinned` (-1) asks for nothing and
/// changes nothing. The thread's previous binding is remembered for process_cpus() until the thread ends.
PinResult pin_this_thread(int os_index);

/// Has the calling thread go on on a CPU, unless it may not or is there already. Its binding stays what it
/// is: the system may move it away again. `unpinned` asks for nothing.
void move_this_thread(int os_index);

/// The CPUs this process may run on at the time of the call, ascending: the union of its threads' bindings,
/// as in hwloc's HWLOC_CPUBIND_PROCESS, except that a thread pinned by pin_this_thread() counts with the
/// binding it had before.
///
/// The calling thread's own binding would be the wrong answer from a member that is already pinned, and the
/// main thread's from a program whose OpenMP runtime has bound it to one place (OMP_PROC_BIND). taskset and
/// batch systems bind a process before it has threads, so all inherit that and the union is exactly it. It
/// follows that a thread which narrows only its own binding, be it the main thread, narrows the process only
/// as long as there is no other thread. Costs one system call per thread. Empty only where the system does
/// not tell any binding.
std::vector<int> process_cpus();

/// How many CPUs this process may run on: the size of process_cpus(), at least 1. No hwloc: microseconds.
int allowed_pus();

} // namespace tutti::machine
