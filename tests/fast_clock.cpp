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

void change_pace(int factor) {
    static std::deque<Pace> paces; // a thread may still read the last one
    const Pace& next = paces.emplace_back(Pace{machine_now(), mailbox::clock_now(), factor});
    pace.store(&next, std::memory_order_release); // release: pairs with clock_now() and machine_ns()
}

} // namespace

std::chrono::nanoseconds mailbox::clock_now() noexcept {
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

void test::sleep_for(std::chrono::nanoseconds time) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(mailbox::machine_ns(time.count())));
}

} // namespace tutti
