#pragma once

#include "cache_line.hpp"

#include <tutti/detail/export.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

namespace tutti::mailbox {

/// The number of members that sleep or are about to.
class StdSleepers {
public:
    /// Sequentially consistent: no correctness rests on it (see Doorbell). As a full barrier on most
    /// processors it leaves only the publisher's own store buffer as the time in which a bell can be missed.
    void arrive() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }

    /// Relaxed: a publisher that still sees the sleeper rings in vain.
    void leave() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

    /// Relaxed: see Doorbell.
    bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }

private:
    std::atomic<std::uint32_t> count_{0};
};

/// The same where the publisher can afford a full barrier: it misses nobody.
class SureSleepers {
public:
    /// Acquire and release: pairs with any(). Of the two, whichever comes second sees what the other has done
    /// before: the publisher the sleeper, or the sleeper what is published.
    void arrive() noexcept { count_.fetch_add(1, std::memory_order_acq_rel); }

    /// Relaxed: a publisher that still sees the sleeper rings in vain.
    void leave() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

    /// Acquire and release: pairs with arrive().
    bool any() noexcept { return count_.fetch_add(0, std::memory_order_acq_rel) != 0; }

private:
    std::atomic<std::uint32_t> count_{0};
};

/// Counts the rings of a bell, in a word on which the kernel lets members sleep.
class FutexRings {
public:
    /// Acquire: pairs with the release in ring(); a sleeper that has heard a ring sees what it announces.
    std::uint32_t heard() const noexcept { return rings_.load(std::memory_order_acquire); }

    /// Release: pairs with heard(). Wakes whoever sleeps.
    TUTTI_COMPONENT_API void ring() noexcept;

    /// Sleeps until the next ring, but not if there has been one after `heard`, and not longer than
    /// `bound_ns`.
    void sleep(std::uint32_t heard, std::int64_t bound_ns) noexcept;

private:
    std::atomic<std::uint32_t> rings_{0};
};

/// Wakes the members that sleep until a given member publishes something.
///
/// A publisher looks for sleepers after its store with a plain load, so that publishing costs no fence. It
/// can miss one that has just gone to sleep; sleeps are therefore bounded, and a missed bell costs one bound,
/// never a hang.
template <class Sleepers, class Rings>
class BasicDoorbell {
public:
    /// For the publisher, after it has published.
    void ring_if_needed() noexcept {
        if (sleepers_.any()) {
            ring();
        }
    }

    /// Wakes whoever sleeps.
    void ring() noexcept { rings_.ring(); }

    /// Sleeps until the bell rings or `bound_ns` have passed, unless `ready()` holds once the sleeper can be
    /// seen. `ready()` may throw.
    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        const Sleeper sleeper(sleepers_);
        const std::uint32_t heard = rings_.heard();
        if (!ready()) {
            rings_.sleep(heard, bound_ns);
        }
    }

private:
    /// Counts the calling thread among the sleepers. ready() may throw what ends the wait: a sleeper that
    /// stayed counted would cost every later publish a system call.
    class Sleeper {
    public:
        explicit Sleeper(Sleepers& sleepers) noexcept : sleepers_(sleepers) { sleepers_.arrive(); }
        ~Sleeper() { sleepers_.leave(); }
        Sleeper(const Sleeper&) = delete;
        Sleeper& operator=(const Sleeper&) = delete;
        Sleeper(Sleeper&&) = delete;
        Sleeper& operator=(Sleeper&&) = delete;

    private:
        Sleepers& sleepers_;
    };

    Sleepers sleepers_;
    Rings rings_;
};

using Doorbell = BasicDoorbell<StdSleepers, FutexRings>;

/// One that misses nobody, so that who waits for hours sleeps for hours: sleeps have no bound.
class alignas(line_bytes) SureDoorbell : public BasicDoorbell<SureSleepers, FutexRings> {
public:
    template <class Ready>
    void sleep(Ready&& ready, std::int64_t /*bound_ns*/) {
        constexpr std::int64_t for_good_ns = std::numeric_limits<std::int64_t>::max();
        BasicDoorbell::sleep(std::forward<Ready>(ready), for_good_ns);
    }
    /// For who has to look at a clock.
    template <class Ready>
    void sleep_bounded(Ready&& ready, std::int64_t bound_ns) {
        BasicDoorbell::sleep(std::forward<Ready>(ready), bound_ns);
    }
};

/// Such a bell for who has to look at a clock, as often as its wait says or as seldom as it says itself.
class TimedBell {
public:
    explicit TimedBell(SureDoorbell& bell, std::int64_t least_ns = 0) : bell_(bell), least_ns_(least_ns) {}

    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        bell_.sleep_bounded(std::forward<Ready>(ready), std::max(bound_ns, least_ns_));
    }

private:
    SureDoorbell& bell_;
    std::int64_t least_ns_;
};

/// Sleeps for so long. Unlike what the C++ library has for that, no point at which pthread_cancel() may end
/// the thread.
TUTTI_COMPONENT_API void nap(std::int64_t ns) noexcept;

} // namespace tutti::mailbox
