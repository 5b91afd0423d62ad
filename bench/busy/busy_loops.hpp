#pragma once

#include <sys/types.h>

#include <vector>

namespace tutti::bench {

/// Processes that each want a CPU all the time, until this object ends, or the thread that has made it.
class BusyLoops {
public:
    /// Throws EnvironmentUnfit if there cannot be so many.
    explicit BusyLoops(int loops);
    ~BusyLoops();
    BusyLoops(const BusyLoops&) = delete;
    BusyLoops& operator=(const BusyLoops&) = delete;
    BusyLoops(BusyLoops&&) = delete;
    BusyLoops& operator=(BusyLoops&&) = delete;

private:
    void end() noexcept;

    std::vector<pid_t> children_;
};

} // namespace tutti::bench
