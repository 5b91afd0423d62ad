// How a wait goes through its stages, on a CPU whose other users are played by the test.
#include "machine/pinning.hpp"
#include "mailbox/wait.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <thread>

using namespace tutti::mailbox;

namespace {

constexpr long turn_ns = 3'000'000;

/// Who has the CPU when it is yielded.
enum class Other { nobody, process, member };
std::atomic<Other> other{Other::nobody};
std::atomic<int> yields{0};
std::atomic<long> used_ns{0};
/// The time, which passes only as the test says: this machine may be busy with other things.
std::atomic<long> passed_ns{1'000'000'000};
constexpr long look_at_clock_ns = 1'000;

} // namespace

// These two stand before the C library's. Another process has the CPU for a while, or another thread of this
// one, which uses CPU time then.
extern "C" int sched_yield() noexcept {
    ++yields;
    if (other != Other::nobody) {
        passed_ns += turn_ns;
    }
    if (other == Other::member) {
        used_ns += 100 * turn_ns;
    }
    return 0;
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    if (clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_MONOTONIC) {
        return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    }
    constexpr long second_ns = 1'000'000'000;
    const long now_ns = clock == CLOCK_MONOTONIC ? passed_ns += look_at_clock_ns : used_ns.load();
    *time = {.tv_sec = now_ns / second_ns, .tv_nsec = now_ns % second_ns};
    return 0;
}

namespace {

/// Yields in a wait for nothing that is over when it would sleep.
int yields_in_wait(const WaitPolicy& wait_policy) {
    yields = 0;
    Backoff backoff(wait_policy);
    while (yields == 0 && backoff.pass() != Backoff::Next::sleep) {
    }
    return yields;
}

/// On a CPU of its own knowledge: what is learnt of a CPU lasts.
void on_cpu(const std::function<void()>& part) {
    std::thread([&] {
        tutti::machine::pin_this_thread(tutti::machine::process_cpus().front());
        part();
    }).join();
}

constexpr WaitPolicy short_patience{.spin_ns = 0, .yield_ns = 200'000};

/// Counts how often an event count is notified, and sees nothing.
class CountedNotifications {
public:
    static inline int notified = 0;

    std::uint32_t seen() const noexcept { return 0; }
    void notify() noexcept { ++notified; }
    void sleep(std::uint32_t /*seen*/, std::int64_t /*bound_ns*/) noexcept {}
};

} // namespace

TEST_CASE_TEMPLATE("a wait that ends by an exception leaves no sleeper for whom it notifies", Waiters,
                   StdWaiters, SureWaiters) {
    BasicEventCount<Waiters, CountedNotifications> event;
    const auto throws = []() -> bool { throw std::runtime_error("the group has failed"); };
    CountedNotifications::notified = 0;
    CHECK_THROWS_AS(event.sleep(throws, 1), std::runtime_error);
    event.notify_if_needed();
    CHECK(CountedNotifications::notified == 0);
}

TEST_CASE("a wait spins, then yields, then sleeps") {
    on_cpu([] {
        const long before_ns = passed_ns;
        CHECK(yields_in_wait(short_patience) == 1);
        CHECK(yields_in_wait({.spin_ns = 100'000, .yield_ns = 200'000}) == 1);
        CHECK(yields_in_wait({}) == 0);
        CHECK(passed_ns > before_ns); // the clock of the wait is the test's
        Backoff spinning({.spin_ns = WaitPolicy::for_good_ns, .yield_ns = 0});
        bool slept = false;
        for (int i = 0; i < 10'000; ++i) {
            slept = slept || spinning.pass() == Backoff::Next::sleep;
        }
        CHECK_FALSE(slept);
    });
}

TEST_CASE("a CPU that members use is yielded to them however long they take") {
    on_cpu([] {
        other = Other::member;
        for (int i = 0; i < 10; ++i) {
            CHECK(yields_in_wait(short_patience) == 1);
        }
        other = Other::nobody;
    });
}

TEST_CASE("a CPU that other processes want is not yielded to them again and again") {
    on_cpu([] {
        other = Other::process;
        int waits = 0;
        while (yields_in_wait(short_patience) == 1 && waits < 100) {
            ++waits;
        }
        CHECK(waits == 3);
        CHECK(yields_in_wait({.spin_ns = 100'000, .yield_ns = 200'000}) == 0);
        CHECK(yields_in_wait({.spin_ns = 0, .yield_ns = WaitPolicy::for_good_ns}) == 1); // never sleeps
        other = Other::nobody;
        while (yields_in_wait(short_patience) == 0) { // until it is tried again
            passed_ns += turn_ns;
        }
        // One more long turn is not enough after many waits that were short.
        for (int i = 0; i < 10'000; ++i) {
            yields_in_wait(short_patience);
        }
        other = Other::process;
        CHECK(yields_in_wait(short_patience) == 1);
        CHECK(yields_in_wait(short_patience) == 1);
        other = Other::nobody;
    });
}
