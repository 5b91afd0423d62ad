#pragma once

#include <atomic>
#include <mutex>
#include <vector>

namespace tutti::engine {

struct GroupConfig;

/// The CPUs that the members of a group may use, as far as is known. They change: threads join, and programs
/// bind threads at any time. A group's choices for its calls must not depend on them, because members would
/// choose differently.
class Bindings {
public:
    explicit Bindings(const GroupConfig& config);

    /// Reads where the calling thread, which is that member, may run. By one thread for each member.
    void read(int member) noexcept;
    /// The same, and reads which CPUs the process has, for which it looks at all threads of the process.
    void read_with_process(int member) noexcept;

    /// How many of the members can run at the same time. Relaxed: a hint.
    int cpus() const noexcept { return cpus_.load(std::memory_order_relaxed); }

    /// The CPUs of each member; empty for all of the process. Nothing is known of any if there are none.
    std::vector<std::vector<int>> of_members() const;

private:
    void update(int member, bool with_process) noexcept;

    mutable std::mutex mutex_;
    std::vector<std::vector<int>> of_members_;
    /// The CPUs of the process, ascending, as far as its threads have been looked at.
    std::vector<int> cpus_of_process_;
    std::atomic<int> cpus_;
};

} // namespace tutti::engine
