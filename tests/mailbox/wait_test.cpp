// How a wait goes through its stages, on a CPU whose other users are played by the test.
#include "machine/pinning.hpp"
#include "mailbox/wait.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <thread>

using namespace tutti::mailbox;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds turn{3};

/// Who has the CPU when it is yielded.
enum class Other { nobody, process, member };
std::atomic<Other> other{Other::nobody};
std::atomic<int> yields{0};
std::atomic<long> used_ns{0};

} // namespace

// These two stand before the C library's. Another process has the CPU for a while, or another thread of this
// one, which uses CPU time then.
extern "C" int sched_yield() noexcept {
    ++yields;
    if (other != Other::nobody) {
        std::this_thread::sleep_for(turn);
    }
    if (other == Other::member) {
        used_ns += std::chrono::nanoseconds(100 * turn).count();
    }
    return 0;
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    if (clock != CLOCK_PROCESS_CPUTIME_ID) {
        return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    }
    constexpr long second_ns = 1'000'000'000;
    *time = {.tv_sec = used_ns / second_ns, .tv_nsec = used_ns % second_ns};
    return 0;
}

namespace {

/// Yields in a wait for nothing that is over when it would sleep.
int yields_in_wait(const Patience& patience) {
    yields = 0;
    Waiting waiting(patience);
    while (yields == 0 && waiting.pass() != Waiting::Next::sleep) {
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

constexpr Patience short_patience{.spin_ns = 0, .yield_ns = 200'000};

} // namespace

TEST_CASE("a wait spins, then yields, then sleeps") {
    on_cpu([] {
        CHECK(yields_in_wait(short_patience) == 1);
        CHECK(yields_in_wait({.spin_ns = 100'000, .yield_ns = 200'000}) == 1);
        CHECK(yields_in_wait({}) == 0);
        Waiting spinning({.spin_ns = Patience::for_good_ns, .yield_ns = 0});
        bool slept = false;
        for (int i = 0; i < 10'000; ++i) {
            slept = slept || spinning.pass() == Waiting::Next::sleep;
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
        CHECK(yields_in_wait({.spin_ns = 0, .yield_ns = Patience::for_good_ns}) == 1); // never sleeps
        other = Other::nobody;
        while (yields_in_wait(short_patience) == 0) { // until it is tried again
            std::this_thread::sleep_for(turn);
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
