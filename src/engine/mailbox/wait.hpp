#pragma once

#include "mailbox/event_count.hpp"

#include <span>
#include <vector>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace tutti::mailbox {

/// Between two looks at a word that another thread is to write. It leaves the core to a thread that shares
/// it, and the cache line to its writer.
inline void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// The CPU on which a thread last began to wait slowly; none at first. Relaxed: it is a hint.
class LastCpu {
public:
    /// Writes only if it changes, since others read it and its neighbours.
    void show(int cpu) noexcept {
        if (!is(cpu)) {
            cpu_.store(cpu, std::memory_order_relaxed);
        }
    }
    /// Negative if there is none.
    int get() const noexcept { return cpu_.load(std::memory_order_relaxed); }
    bool is(int cpu) const noexcept { return get() == cpu; }

private:
    static constexpr int none = -1;
    std::atomic<int> cpu_{none};
};

/// The places at which a thread and the threads that it may be waiting for show their CPUs. If it is empty,
/// nothing is shown or seen.
struct CpusInSight {
    LastCpu* own = nullptr;
    /// The thread's own may be among them.
    std::span<const LastCpu> peers = {};

    /// Shows that the thread is on that CPU. Returns whether one of the others was last seen there.
    bool meet(int cpu) const noexcept {
        if (own != nullptr) {
            own->show(cpu);
        }
        return cpu >= 0 &&
               std::ranges::any_of(peers, [&](const LastCpu& peer) { return &peer != own && peer.is(cpu); });
    }
};

/// The CPUs of some threads that wait for each other.
class LastCpus {
public:
    explicit LastCpus(int threads) : cpus_(static_cast<std::size_t>(threads)) {}

    /// For a thread that waits for any of the others.
    CpusInSight of(int thread) noexcept { return {&cpus_[static_cast<std::size_t>(thread)], cpus_}; }
    /// For one that waits for `peer`.
    CpusInSight of(int thread, int peer) noexcept {
        return {&cpus_[static_cast<std::size_t>(thread)], {&cpus_[static_cast<std::size_t>(peer)], 1}};
    }

    /// The CPUs of these threads on which waits now sleep soon because other processes want them, each
    /// once, in order.
    std::vector<int> wanted() const;

private:
    std::vector<LastCpu> cpus_;
};

/// How long a thread tries each way of waiting before it goes on to the next: spin, then yield the CPU
/// between looks, then sleep. Times, not counts: a pause takes from nothing to 140 cycles, depending on the
/// core.
struct WaitPolicy {
    /// A way that the thread never leaves.
    static constexpr std::int64_t for_good_ns = std::numeric_limits<std::int64_t>::max() / 2;

    std::int64_t spin_ns = 0;
    std::int64_t yield_ns = 0;

    bool never_sleeps() const noexcept { return spin_ns == for_good_ns || yield_ns == for_good_ns; }
    std::int64_t awake_ns() const noexcept { return spin_ns + yield_ns; }
};

/// The experience of a thread in its last waits of one kind. Relaxed: it is a hint, and several threads may
/// wait for requests of one rank.
class WaitHistory {
public:
    /// Whether the next wait may be short: unless all of the last three were long (Karlin, Li, Manasse and
    /// Owicki 1991, section 4: the wait times of the recent past).
    bool expects_short_wait() const noexcept {
        return (last_.load(std::memory_order_relaxed) & long_waits) != long_waits;
    }
    /// Whether the last wait was for a thread on the same CPU.
    bool shares_cpu() const noexcept { return (last_.load(std::memory_order_relaxed) & same_cpu) != 0; }

    void add(bool was_long, bool shares_cpu) noexcept {
        const unsigned before = last_.load(std::memory_order_relaxed);
        last_.store((before << 1U & long_waits) | (was_long ? 1U : 0U) | (shares_cpu ? same_cpu : 0U),
                    std::memory_order_relaxed);
    }

private:
    static constexpr unsigned long_waits = 0b0111;
    static constexpr unsigned same_cpu = 0b1000;
    std::atomic<unsigned> last_{0};
};

/// A thread that waits, and those that it may be waiting for.
struct Waiter {
    WaitHistory& history;
    CpusInSight cpus = {};
};

/// How often a member looks before it waits. Mostly all members are in the call: if each has a CPU, the next
/// one comes within a few looks.
inline int eager_looks(const WaitPolicy& wait_policy, const WaitHistory& history) {
    constexpr int looks = 64;
    return wait_policy.spin_ns > 0 && !history.shares_cpu() ? looks : 1;
}

/// One wait in progress: decides what to do between two looks. A thread that may sleep adapts:
///
/// - It yields at once if it waits for a thread that was last seen on its own CPU, since only then can that
///   one go on. A yield that returns at once shows that the other thread is elsewhere by now.
/// - It sleeps instead of spinning if its last waits were long. Threads that wait in turn for one another may
///   be slow only because all of them sleep. All threads therefore spin again now and then, at the same time.
/// - On a CPU that other processes want, it spins only for as long as it takes to sleep and to be woken, and
///   then sleeps. A yield would give them the CPU for milliseconds, and spinning for longer would use up the
///   share of the CPU that lets a thread go on as soon as it is woken. Sleeping at once would keep members
///   that have been woken one after another out of step: each would sleep again before the next one comes.
///   Yields that took long while this process got little done show that others want the CPU. This is
///   remembered for a while, and for longer each time that another try was in vain.
class Backoff : Immovable {
public:
    Backoff(const WaitPolicy& wait_policy, const Waiter& waiter) noexcept
        : wait_policy_(wait_policy), waiter_(waiter) {}
    ~Backoff() {
        if (started_ns_ != 0) {
            end();
        }
    }

    enum class Next { look, check, sleep };

    /// Passes a moment (a pause or a yield) and returns what to do next: look again, look whether waiting
    /// still makes sense, or sleep.
    Next pass() noexcept {
        if (spinning_ && ++passes_ % passes_per_clock != 0) {
            pause();
            return Next::look;
        }
        return pass_slowly();
    }

    /// Whether it is time again for a look that takes longer.
    bool takes_long() const noexcept { return takes_long_; }

    /// The bound of the next sleep. Grows, so that a long wait costs next to nothing.
    TUTTI_COMPONENT_API std::int64_t sleep_bound_ns() noexcept;

private:
    /// Reading the clock costs as much as an exchange: seldom while spinning, and a yield is dear enough
    /// anyway.
    static constexpr std::uint32_t passes_per_clock = 64;

    void begin(std::int64_t now) noexcept;
    TUTTI_COMPONENT_API Next pass_slowly() noexcept;
    TUTTI_COMPONENT_API void end() noexcept;

    WaitPolicy wait_policy_;
    Waiter waiter_;
    std::int64_t started_ns_ = 0;
    std::int64_t long_look_ns_ = 0;
    std::int64_t bound_ns_ = 0;
    std::uint32_t passes_ = 0;
    bool takes_long_ = false;
    bool spinning_ = false;
    bool yielded_ = false;
    bool slept_ = false;
    /// Whether a thread that this one waits for is on the same CPU.
    bool beside_peer_ = false;
};

/// Waits until `ready()`, asleep until `event` (a BasicEventCount) is notified if it takes long.
/// `check(takes_long)` is called now and then, `takes_long` if the wait does, and throws when waiting has
/// become pointless.
template <class Ready, class Check, class Event>
void progress_until(Ready&& ready, Check&& check, Event& event, const WaitPolicy& wait_policy,
                    const Waiter& waiter) {
    Backoff backoff(wait_policy, waiter);
    while (!ready()) {
        const Backoff::Next next = backoff.pass();
        if (next == Backoff::Next::look) {
            continue;
        }
        check(next == Backoff::Next::sleep || backoff.takes_long());
        if (next == Backoff::Next::sleep) {
            event.sleep(ready, backoff.sleep_bound_ns());
        }
    }
}

} // namespace tutti::mailbox
