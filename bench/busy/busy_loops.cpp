#include "busy/busy_loops.hpp"

#include "terminal/exit_codes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace tutti::bench {

namespace {

[[noreturn]] void loop_until_killed(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { // it has ended meanwhile
        _exit(0);
    }
    for (volatile unsigned long turns = 0;;) {
        turns = turns + 1;
    }
}

} // namespace

BusyLoops::BusyLoops(int loops) {
    const pid_t parent = getpid();
    for (int loop = 0; loop < loops; ++loop) {
        const pid_t child = fork();
        if (child == 0) {
            loop_until_killed(parent);
        }
        if (child < 0) {
            end();
            throw EnvironmentUnfit(
                fmt::format("--busy: cannot start {} processes: {}", loops, strerror(errno)));
        }
        children_.push_back(child);
    }
    if (loops > 0) {
        constexpr std::chrono::milliseconds until_spread{200}; // by the kernel, over the CPUs
        std::this_thread::sleep_for(until_spread);
    }
}

BusyLoops::~BusyLoops() {
    end();
}

void BusyLoops::end() noexcept {
    for (const pid_t child : children_) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
}

} // namespace tutti::bench
