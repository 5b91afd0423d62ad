#pragma once

#include <tutti/detail/export.h>

#include <sched.h>

#include <span>
#include <string>
#include <vector>

namespace tutti::machine {

/// The result of one pin_this_thread().
struct PinResult {
    bool pinned = false; ///< the thread is bound to exactly the CPU asked for: read back, not assumed
    int os_index = -1;   ///< the CPU asked for
    std::string reason;  ///< empty if pinned, else why not, for `tutti info`
};

/// Binds the calling thread to one CPU and reads the binding back. A failure is not an error: the thread then
/// keeps running where it was, and the result has the reason. `unpinned` (-1) changes nothing. The thread's
/// previous binding is remembered for process_cpus() until the thread ends.
PinResult pin_this_thread(int os_index);

/// Undoes a pin_this_thread() to `os_index`: binds the thread to the CPUs that it had before, ascending,
/// unless it has ended since or is bound elsewhere. Any thread may do so for any other.
void unpin_thread(int thread_id, int os_index, std::span<const int> before);

/// Has the calling thread go on on a CPU, unless it may not or is there already. Its binding stays what it
/// is: the system may move it away again. `unpinned` changes nothing.
void move_this_thread(int os_index);

/// The CPUs this process may run on at the time of the call, ascending: the union of its threads' bindings,
/// as in hwloc's HWLOC_CPUBIND_PROCESS, and the places of an OpenMP runtime, to which it binds threads later.
/// A thread pinned by pin_this_thread() counts with the binding it had before, without the CPUs that have
/// gone offline since (of which a file under `root` has a list).
///
/// The calling thread's own binding would be the wrong answer from a member that is already pinned, and the
/// main thread's from a program whose OpenMP runtime has bound it to one place (OMP_PROC_BIND). taskset and
/// batch systems bind a process before it has threads, so all inherit that, and the union equals it. It
/// follows that a thread which narrows only its own binding, be it the main thread, narrows the process only
/// as long as there is no other thread. Costs one system call per thread. Empty only if the system reports no
/// binding.
TUTTI_COMPONENT_API std::vector<int> process_cpus(const std::string& root = "/");

/// The same as at the last call, if the calling thread has the binding that the thread of that call had.
/// Costs one system call. A thread that has been bound to other CPUs since may be missed.
std::vector<int> recent_process_cpus();

/// The CPUs that the calling thread is bound to, ascending; empty if the system does not report them.
std::vector<int> cpus_of_this_thread();

/// Finds whether the binding of a thread changes. Allocates nothing, and orders no memory between threads. By
/// one thread at a time.
class BindingWatch {
public:
    /// Whether the calling thread is bound to other CPUs than at the last call, or at begin(). False before
    /// the first of either, and if the system does not report the binding within the room of a cpu_set_t.
    bool has_changed() noexcept;
    void begin() noexcept {
        begun_ = false;
        has_changed();
    }

private:
    cpu_set_t cpus_{};
    bool begun_ = false;
};

/// How many threads of a process that has these CPUs can run at the same time: as many, or fewer if a control
/// group limits its CPU time (quota_cpus(), looked up once); at least 1. An empty list stands for a system
/// that does not report CPUs.
int allowed_pus(std::span<const int> process);
/// The same for this process. No hwloc; one system call per thread, and a look at their list.
TUTTI_COMPONENT_API int allowed_pus();

/// How many of the threads that are bound to these CPUs can run at the same time, given that `allowed` of the
/// process can: 1 for all that are bound to the same CPU, no more than there are CPUs in all. An empty list
/// stands for any CPU of the process. At least 1.
int pus_at_once(std::span<const std::vector<int>> bindings, int allowed);

} // namespace tutti::machine
