#pragma once

#include "cache_line.hpp"
#include "immovable.hpp"

#include <tutti/detail/export.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

// The clock of timeouts. A test may link tests/fast_clock.cpp instead of clock.cpp.

namespace tutti::mailbox {

/// The time of a clock that only grows.
TUTTI_COMPONENT_API std::chrono::nanoseconds clock_now() noexcept;

/// The same, some ms behind, at a fifth of the cost.
TUTTI_COMPONENT_API std::chrono::nanoseconds coarse_clock_now() noexcept;

/// The time of the machine in which this clock proceeds by `ns`.
std::int64_t machine_ns(std::int64_t ns) noexcept;

/// The number of members that sleep or are about to.
class StdWaiters {
public:
    /// Sequentially consistent: no correctness rests on it (see EventCount). As a full barrier on most
    /// processors it leaves only the publisher's own store buffer as the time in which a notification can be
    /// missed.
    void arrive() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }

    /// Relaxed: a publisher that still sees the sleeper notifies in vain.
    void leave() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

    /// Relaxed: see EventCount.
    bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }

private:
    std::atomic<std::uint32_t> count_{0};
};

/// The same if the publisher can afford a full barrier: it misses nobody.
class SureWaiters {
public:
    /// Acquire and release: pairs with any(). The later of the two sees what the other has done before: the
    /// publisher sees the sleeper, or the sleeper sees what is published.
    void arrive() noexcept { count_.fetch_add(1, std::memory_order_acq_rel); }

    /// Relaxed: a publisher that still sees the sleeper notifies in vain.
    void leave() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

    /// Acquire and release: pairs with arrive().
    bool any() noexcept { return count_.fetch_add(0, std::memory_order_acq_rel) != 0; }

private:
    std::atomic<std::uint32_t> count_{0};
};

/// Counts the notifications of an event count, in a word on which the kernel lets members sleep.
class FutexCounter {
public:
    /// Acquire: pairs with the release in notify(); a sleeper that has seen a notification sees what it
    /// announces.
    std::uint32_t seen() const noexcept { return counter_.load(std::memory_order_acquire); }

    /// Release: pairs with seen(). Wakes all sleepers.
    TUTTI_COMPONENT_API void notify() noexcept;

    /// Sleeps until the next notification, but not if there has been one after `seen`, and not longer than
    /// `bound_ns`.
    TUTTI_COMPONENT_API void sleep(std::uint32_t seen, std::int64_t bound_ns) noexcept;

private:
    std::atomic<std::uint32_t> counter_{0};
};

/// Wakes the members that sleep until a given member publishes something.
///
/// A publisher looks for sleepers after its store with a plain load, so that publishing costs no fence. It
/// can miss one that has just gone to sleep; sleeps are therefore bounded, and a missed notification costs
/// one bound, never a hang.
template <class Waiters, class Counter>
class BasicEventCount {
public:
    /// For the publisher, after it has published.
    void notify_if_needed() noexcept {
        if (is_needed()) {
            notify();
        }
    }
    /// Whether anybody sleeps, as far as the publisher sees.
    bool is_needed() noexcept { return waiters_.any(); }

    /// Wakes all sleepers.
    void notify() noexcept { counter_.notify(); }

    /// Sleeps until it is notified or `bound_ns` have passed, unless `ready()` holds once the sleeper can be
    /// seen. `ready()` may throw.
    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        const Sleeper sleeper(waiters_);
        const std::uint32_t seen = counter_.seen();
        if (!ready()) {
            counter_.sleep(seen, bound_ns);
        }
    }

private:
    /// Counts the calling thread among the sleepers. ready() may throw to end the wait: a sleeper that stayed
    /// counted would cost every later publish a system call.
    class Sleeper : Immovable {
    public:
        explicit Sleeper(Waiters& sleepers) noexcept : waiters_(sleepers) { waiters_.arrive(); }
        ~Sleeper() { waiters_.leave(); }

    private:
        Waiters& waiters_;
    };

    Waiters waiters_;
    Counter counter_;
};

using EventCount = BasicEventCount<StdWaiters, FutexCounter>;

/// One that misses nobody, so that nobody need look for what it has missed: sleeps may last for hours.
class alignas(line_bytes) SureEventCount : public BasicEventCount<SureWaiters, FutexCounter> {
public:
    /// Sleeps that nobody ends last at least so long.
    explicit SureEventCount(std::int64_t least_ns = std::numeric_limits<std::int64_t>::max())
        : least_ns_(least_ns) {}

    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        BasicEventCount::sleep(std::forward<Ready>(ready), std::max(bound_ns, least_ns_));
    }

private:
    const std::int64_t least_ns_;
};

/// Sleeps for so long. Unlike the function of the C++ library, no point at which pthread_cancel() may end the
/// thread.
TUTTI_COMPONENT_API void nap(std::int64_t ns) noexcept;

} // namespace tutti::mailbox
