#include "execute/waited.hpp"

#include <algorithm>
#include <ctime>

namespace tutti::execute {

std::chrono::nanoseconds counted(std::chrono::nanoseconds before, std::chrono::nanoseconds now) noexcept {
    constexpr std::chrono::nanoseconds none{0};
    return before == none ? none : std::clamp(now - before, none, most_between_looks);
}

std::chrono::nanoseconds coarse_clock_now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void Waited::look() noexcept {
    const std::chrono::nanoseconds now = clock_now();
    since_ = looked_.count() == 0 ? now : since_;
    waited_ += counted(looked_, now);
    looked_ = now;
}

} // namespace tutti::execute
