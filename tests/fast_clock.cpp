#include "fast_clock.hpp"

#include "mailbox/event_count.hpp"

#include <atomic>
#include <deque>
#include <thread>

namespace tutti {

namespace {

std::chrono::nanoseconds machine_now() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch();
}

/// From a time on, the clock runs faster by a factor.
struct Pace {
    std::chrono::nanoseconds machine{0};
    std::chrono::nanoseconds clock{0};
    int factor = 1;
};

constexpr Pace normal;
std::atomic<const Pace*> pace = &normal;

/// Of a LedClock: the step, or 0 if there is none, and the time.
std::atomic<std::int64_t> step_ns{0};
std::atomic<std::int64_t> led_ns{0};
thread_local bool leads = false;

void change_pace(int factor) {
    static std::deque<Pace> paces; // a thread may still read the last one
    const Pace& next = paces.emplace_back(Pace{machine_now(), mailbox::clock_now(), factor});
    pace.store(&next, std::memory_order_release); // release: pairs with clock_now() and machine_ns()
}

} // namespace

std::chrono::nanoseconds mailbox::clock_now() noexcept {
    if (const std::int64_t step = step_ns.load()) {
        return std::chrono::nanoseconds(leads ? led_ns += step : led_ns.load());
    }
    const Pace& now = *pace.load(std::memory_order_acquire); // acquire: pairs with change_pace()
    return now.clock + now.factor * (machine_now() - now.machine);
}

std::chrono::nanoseconds mailbox::coarse_clock_now() noexcept {
    return clock_now();
}

std::int64_t mailbox::machine_ns(std::int64_t ns) noexcept {
    return ns / pace.load(std::memory_order_acquire)->factor; // acquire: pairs with change_pace()
}

test::FastClock::FastClock(int factor) {
    change_pace(factor);
}

test::FastClock::~FastClock() {
    change_pace(1);
}

test::LedClock::LedClock(std::chrono::nanoseconds step) {
    leads = true;
    led_ns = mailbox::clock_now().count();
    step_ns = step.count();
}

test::LedClock::~LedClock() {
    change_pace(1);
    step_ns = 0;
    leads = false;
}

void test::sleep_for(std::chrono::nanoseconds time) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(mailbox::machine_ns(time.count())));
}

} // namespace tutti
