#include "execute/waited.hpp"

#include <algorithm>

namespace tutti::execute {

std::chrono::nanoseconds counted(std::chrono::nanoseconds before, std::chrono::nanoseconds now) noexcept {
    constexpr std::chrono::nanoseconds none{0};
    return before == none ? none : std::clamp(now - before, none, most_between_looks);
}

void Waited::look() noexcept {
    const std::chrono::nanoseconds now = clock_now();
    since_ = looked_.count() == 0 ? now : since_;
    waited_ += counted(looked_, now);
    looked_ = now;
}

} // namespace tutti::execute
