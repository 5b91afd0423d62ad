#pragma once

#include "cache_line.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace tutti::bench {

/// The machine's steady clock, the same in every thread and process.
inline std::int64_t now_ns() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Thrown at the gate when another member has failed.
class GateClosed : public std::runtime_error {
public:
    GateClosed() : std::runtime_error("another member of the benchmark failed") {}
};

/// The meeting point of the members of a measurement: threads of one process or processes that map the same
/// memory. It shares no code with the measured library, and it is the same for every provider.
///
/// Members that have a CPU each are let through at a time agreed on in advance rather than when they learn
/// that the gate is open, so that they enter the measured call together. Crowded members cannot all run at
/// that time; they yield until the gate is open, and a run begins when the first is through.
class Gate {
public:
    /// `members` use the gate; `crowded`: there are fewer CPUs than that.
    Gate(int members, bool crowded) : members_(static_cast<std::uint32_t>(members)), crowded_(crowded) {}

    /// Returns when all members have come. Everything that they wrote before is visible after. Throws
    /// GateClosed after fail().
    void meet() {
        const std::uint32_t before = generation_.load(std::memory_order_relaxed);
        // Acquire and release: the last one to come has seen what all others wrote, and passes it on with the
        // release below.
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
            arrived_.store(0, std::memory_order_relaxed);
            opens_at_ns_.store(now_ns() + (crowded_ ? 0 : notice_ns()), std::memory_order_relaxed);
            generation_.store(before + 1, std::memory_order_release);
        } else {
            await_change(before);
        }
        if (failed_.load(std::memory_order_relaxed)) {
            throw GateClosed();
        }
    }

    /// meet(), then the agreed time. Returns the time of entry, in ns of the steady clock.
    std::int64_t start() {
        meet();
        const std::int64_t opens_at_ns = opens_at_ns_.load(std::memory_order_relaxed);
        std::int64_t now = now_ns();
        while (now < opens_at_ns) {
            now = now_ns();
        }
        return now;
    }

    /// Releases all members that wait or will wait here with GateClosed.
    void fail() { failed_.store(true, std::memory_order_relaxed); }

private:
    /// Long enough for the news to reach every member: a cache line takes about 100 ns to each.
    std::int64_t notice_ns() const { return 300 + 200 * static_cast<std::int64_t>(members_); }

    void await_change(std::uint32_t before) {
        constexpr int looks_per_yield = 2000;
        int looks = 0;
        // Acquire: pairs with the release in meet().
        while (generation_.load(std::memory_order_acquire) == before) {
            if (failed_.load(std::memory_order_relaxed)) {
                throw GateClosed();
            }
            if (crowded_ || ++looks % looks_per_yield == 0) {
                sched_yield();
            }
        }
    }

    alignas(line_bytes) std::atomic<std::uint32_t> arrived_{0};
    alignas(line_bytes) std::atomic<std::uint32_t> generation_{0};
    std::atomic<std::int64_t> opens_at_ns_{0};
    alignas(line_bytes) std::atomic<bool> failed_{false};
    std::uint32_t members_;
    bool crowded_;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "the gate works between processes only where its atomics need no lock");

} // namespace tutti::bench
