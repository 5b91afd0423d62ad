#include "mailbox/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tutti::mailbox {

namespace {

constexpr std::int64_t microsecond_ns = 1'000;
constexpr std::int64_t millisecond_ns = 1'000'000;

std::int64_t now_ns() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace

Patience patience_for(int members, int cpus) {
    if (members <= cpus) {
        return {.spin_ns = 100 * microsecond_ns, .yield_ns = 100 * microsecond_ns};
    }
    return {.spin_ns = 0, .yield_ns = 200 * microsecond_ns};
}

Waiting::Next Waiting::pass_slowly() noexcept {
    // Reading the clock costs as much as an exchange: seldom while spinning, and a yield is dear enough
    // anyway.
    constexpr std::uint32_t passes_per_clock = 64;
    if (started_ns_ == 0) {
        started_ns_ = now_ns();
    }
    if (spinning_ && passes_ % passes_per_clock != 0) {
        pause();
        return Next::look;
    }
    const std::int64_t waited_ns = now_ns() - started_ns_;
    spinning_ = waited_ns < patience_.spin_ns;
    if (spinning_) {
        return Next::check;
    }
    if (waited_ns < patience_.spin_ns + patience_.yield_ns) {
        sched_yield();
        return Next::check;
    }
    return Next::sleep;
}

std::int64_t Waiting::sleep_bound_ns() noexcept {
    bound_ns_ = std::clamp(2 * bound_ns_, millisecond_ns, 16 * millisecond_ns);
    return bound_ns_;
}

} // namespace tutti::mailbox
