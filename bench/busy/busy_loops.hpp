#pragma once

#include "immovable.hpp"

#include <sys/types.h>

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

} // namespace tutti::bench
