#include "mailbox/event_count.hpp"

#include "mailbox/clock.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

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

} // namespace tutti::mailbox
