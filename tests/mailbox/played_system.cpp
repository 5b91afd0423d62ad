#include "played_system.hpp"

#include "../std.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace {

tutti::test::PlayedSystem* played = nullptr;
long latest_ns = 0;

} // namespace

namespace tutti::test {

PlayedSystem::PlayedSystem() {
    played = this;
}

PlayedSystem::~PlayedSystem() {
    played = nullptr;
}

long PlayedSystem::later_ns() {
    constexpr long second_ns = 1'000'000'000;
    return latest_ns + second_ns;
}

} // namespace tutti::test

extern "C" int sched_yield() noexcept {
    if (played == nullptr) {
        return static_cast<int>(syscall(SYS_sched_yield));
    }
    played->yield();
    return 0;
}

extern "C" int sched_getcpu() noexcept {
    if (played != nullptr) {
        return played->cpu();
    }
    unsigned cpu = 0;
    return syscall(SYS_getcpu, &cpu, nullptr, nullptr) == 0 ? static_cast<int>(cpu) : -1;
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    if (played == nullptr || (clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_MONOTONIC)) {
        return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    }
    constexpr long second_ns = 1'000'000'000;
    const long ns = clock == CLOCK_MONOTONIC ? played->now_ns() : played->used_ns();
    latest_ns = std::max(latest_ns, ns);
    *time = {.tv_sec = ns / second_ns, .tv_nsec = ns % second_ns};
    return 0;
}
