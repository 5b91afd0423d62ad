#include "mailbox/event_count.hpp"

#include <ctime>

namespace tutti::mailbox {

std::chrono::nanoseconds clock_now() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch();
}

std::chrono::nanoseconds coarse_clock_now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::int64_t machine_ns(std::int64_t ns) noexcept {
    return ns;
}

} // namespace tutti::mailbox
