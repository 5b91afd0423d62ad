#include "mailbox/wait.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <ctime>
#include <set>

namespace tutti::mailbox {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "a futex is a plain 32-bit word");

void FutexCounter::notify() noexcept {
    counter_.fetch_add(1, std::memory_order_release); // release: pairs with seen()
    syscall(SYS_futex, &counter_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void FutexCounter::sleep(std::uint32_t seen, std::int64_t bound_ns) noexcept {
    constexpr std::int64_t second_ns = 1'000'000'000;
    const std::int64_t ns = machine_ns(bound_ns);
    const timespec bound{static_cast<time_t>(ns / second_ns), static_cast<long>(ns % second_ns)};
    syscall(SYS_futex, &counter_, FUTEX_WAIT_PRIVATE, seen, &bound, nullptr, 0);
}

void nap(std::int64_t ns) noexcept {
    FutexCounter nobody_rings;
    nobody_rings.sleep(0, ns);
}

namespace {

constexpr std::int64_t microsecond_ns = 1'000;
constexpr std::int64_t millisecond_ns = 1'000'000;
constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t now_ns() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::int64_t cpu_time_of_process_ns() noexcept {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * second_ns + time.tv_nsec;
}

/// The guess about one CPU: whether other processes want it. Waits end however wrong it is: relaxed.
struct alignas(line_bytes) Cpu {
    /// Until when waits that may sleep do so after a few microseconds.
    std::atomic<std::int64_t> wanted_until_ns{0};
    /// For how long that was when it was last found to be so.
    std::atomic<std::int64_t> wanted_for_ns{0};
    /// When it came back from another process last.
    std::atomic<std::int64_t> lost_ns{0};
    /// Waits in which it was yielded since it was last lost to another process.
    std::atomic<std::int64_t> waits{0};
    /// How often in a row it was lost after so few waits that sleeping would have taken less time.
    std::atomic<int> bad_bargains{0};

    bool is_wanted(std::int64_t now) const noexcept {
        return now < wanted_until_ns.load(std::memory_order_relaxed);
    }
};

Cpu& cpu_of(int number) noexcept {
    constexpr std::size_t most_cpus = 1024;
    static std::array<Cpu, most_cpus> cpus{};
    return cpus[static_cast<std::size_t>(std::max(number, 0)) % most_cpus];
}

/// A CPU that was given away for less is not lost.
constexpr std::int64_t long_turn_ns = 500 * microsecond_ns;

/// Another process has had the CPU for so long.
void lose(Cpu& cpu, std::int64_t now, std::int64_t turn_ns) noexcept {
    constexpr std::int64_t asleep_ns = 100 * microsecond_ns; // the longest overhead of a wait that sleeps
    constexpr std::int64_t remembered_turns = 32;
    constexpr std::int64_t longest_ns = second_ns;
    constexpr int enough = 3;
    // All that had yielded it come back after one another, before it can be lost a second time.
    if (now - cpu.lost_ns.load(std::memory_order_relaxed) < long_turn_ns) {
        return;
    }
    cpu.lost_ns.store(now, std::memory_order_relaxed);
    const std::int64_t waits = cpu.waits.exchange(0, std::memory_order_relaxed);
    const bool is_bad = waits * asleep_ns < turn_ns;
    const int bad = is_bad ? std::min(cpu.bad_bargains.load(std::memory_order_relaxed) + 1, enough) : 0;
    cpu.bad_bargains.store(bad, std::memory_order_relaxed);
    if (bad == enough) {
        const std::int64_t before_ns = cpu.wanted_for_ns.load(std::memory_order_relaxed);
        const std::int64_t idle_ns = now - cpu.wanted_until_ns.load(std::memory_order_relaxed);
        const std::int64_t longer_ns = idle_ns < before_ns ? 2 * before_ns : 0;
        const std::int64_t wanted_ns = std::min(std::max(longer_ns, remembered_turns * turn_ns), longest_ns);
        cpu.wanted_for_ns.store(wanted_ns, std::memory_order_relaxed);
        cpu.wanted_until_ns.store(now + wanted_ns, std::memory_order_relaxed);
    }
}

/// Yields the CPU, and notes when another process has had it for long. A member that computes may have had it
/// as well: then this process has used as much CPU time as that took. Returns how long the yield took.
std::int64_t yield(Cpu& cpu, std::int64_t now) noexcept {
    constexpr std::int64_t between_looks_ns = 250 * microsecond_ns; // a look takes as long as a yield
    thread_local std::int64_t looked_ns = 0;
    thread_local std::int64_t used_ns = 0;
    if (now - looked_ns > between_looks_ns) {
        looked_ns = now;
        used_ns = cpu_time_of_process_ns();
    }
    sched_yield();
    const std::int64_t after_ns = now_ns();
    const std::int64_t turn_ns = after_ns - now;
    if (turn_ns > long_turn_ns && 2 * (cpu_time_of_process_ns() - used_ns) < after_ns - looked_ns) {
        lose(cpu, after_ns, turn_ns);
    }
    return turn_ns;
}

/// For how long all threads spin again, whatever they have learnt, and how often. In that time a call that
/// passes through all members must be able to wake them.
constexpr std::int64_t all_spin_ns = 4 * millisecond_ns;
constexpr std::int64_t all_spin_every_ns = 128 * millisecond_ns;

/// Sleeping and being woken take about as long. A thread that spins for so long before it sleeps loses at
/// most twice what the best choice would (Karlin, Li, Manasse and Owicki 1991, section 2).
constexpr std::int64_t price_of_sleep_ns = 5 * microsecond_ns;

/// The longest time that a yield takes if no other thread has run meanwhile.
constexpr std::int64_t yield_to_nobody_ns = 3 * microsecond_ns;

} // namespace

std::vector<int> LastCpus::wanted() const {
    const std::int64_t now = now_ns();
    std::set<int> wanted;
    for (const LastCpu& last : cpus_) {
        if (last.get() >= 0 && cpu_of(last.get()).is_wanted(now)) {
            wanted.insert(last.get());
        }
    }
    return {wanted.begin(), wanted.end()};
}

void Backoff::begin(std::int64_t now) noexcept {
    started_ns_ = long_look_ns_ = now;
    beside_peer_ = waiter_.cpus.meet(sched_getcpu());
}

Backoff::Next Backoff::pass_slowly() noexcept {
    const std::int64_t now = now_ns();
    if (started_ns_ == 0) {
        begin(now);
    }
    // By time: a yield takes milliseconds where others want the CPU.
    constexpr std::int64_t between_long_looks_ns = 100 * microsecond_ns;
    takes_long_ = now - long_look_ns_ >= between_long_looks_ns;
    long_look_ns_ = takes_long_ ? now : long_look_ns_;

    Cpu& cpu = cpu_of(sched_getcpu());
    const std::int64_t waited_ns = now - started_ns_;
    const bool expects_short = waiter_.history.expects_short_wait();
    const bool all_spin = !expects_short && now % all_spin_every_ns < all_spin_ns;
    const WaitPolicy policy = all_spin && wait_policy_.spin_ns > 0
                                  ? WaitPolicy{.spin_ns = all_spin_ns, .yield_ns = 0}
                                  : wait_policy_;
    // More members than CPUs yield to each other, however long they wait.
    const bool is_promising = beside_peer_ || policy.spin_ns == 0 || expects_short || all_spin;
    const bool is_wanted = !policy.never_sleeps() && cpu.is_wanted(now);
    const bool must_leave = is_wanted && (beside_peer_ || waited_ns >= price_of_sleep_ns);
    if (waited_ns >= policy.awake_ns() || must_leave || (!policy.never_sleeps() && !is_promising)) {
        spinning_ = false;
        slept_ = true;
        return Next::sleep;
    }
    const bool must_yield = beside_peer_ && !policy.never_sleeps();
    spinning_ = is_wanted || (waited_ns < policy.spin_ns && !must_yield);
    if (!spinning_) {
        if (!std::exchange(yielded_, true)) {
            cpu.waits.fetch_add(1, std::memory_order_relaxed);
        }
        beside_peer_ = yield(cpu, now) > yield_to_nobody_ns && beside_peer_;
    }
    return Next::check;
}

void Backoff::end() noexcept {
    constexpr std::int64_t long_wait_ns = millisecond_ns;
    const bool was_long = slept_ && now_ns() - started_ns_ >= long_wait_ns;
    waiter_.history.add(was_long, beside_peer_);
    if (waiter_.cpus.own != nullptr) {
        waiter_.cpus.own->show(sched_getcpu());
    }
}

std::int64_t Backoff::sleep_bound_ns() noexcept {
    bound_ns_ = std::clamp(2 * bound_ns_, millisecond_ns, 16 * millisecond_ns);
    return bound_ns_;
}

} // namespace tutti::mailbox
