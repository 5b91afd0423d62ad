#pragma once

#include "wait/wait_timer.hpp"

#include <chrono>
#include <cstdint>

namespace tutti::engine {

/// A clock that is read in some ns: the processor's, whose unit shows only beside another clock.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc(); // what __rdtsc() is, without the 80,000 lines of <x86intrin.h>
#else
    return static_cast<std::uint64_t>(clock_now().count());
#endif
}

/// Both clocks at one moment.
struct Moment {
    std::uint64_t ticks = 0;
    std::chrono::nanoseconds time{0};

    static Moment now() noexcept { return {engine::ticks(), clock_now()}; }
};

/// Converts ticks to time by two moments: the further these are apart, the better.
class TickScale {
public:
    TickScale(const Moment& first, const Moment& last) noexcept
        : first_ticks_(first.ticks),
          ns_per_tick_(last.ticks > first.ticks ? static_cast<double>((last.time - first.time).count()) /
                                                      static_cast<double>(last.ticks - first.ticks)
                                                : 1.0) {}

    /// Since the first moment.
    std::int64_t ns_at(std::uint64_t ticks) const noexcept { return ns_of(ticks - first_ticks_); }
    std::int64_t ns_of(std::uint64_t ticks) const noexcept {
        return static_cast<std::int64_t>(static_cast<double>(ticks) * ns_per_tick_);
    }

private:
    std::uint64_t first_ticks_;
    double ns_per_tick_;
};

} // namespace tutti::engine
