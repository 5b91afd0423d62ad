#include "wait/wait_timer.hpp"

namespace tutti::engine {

std::chrono::nanoseconds counted(std::chrono::nanoseconds before, std::chrono::nanoseconds now) noexcept {
    constexpr std::chrono::nanoseconds none{0};
    return before == none ? none : std::clamp(now - before, none, most_between_looks);
}

std::chrono::nanoseconds end_after(std::chrono::duration<double> time) noexcept {
    constexpr std::chrono::hours century{24 * 36525};
    return time < century ? clock_now() + std::chrono::duration_cast<std::chrono::nanoseconds>(time) : no_end;
}

void WaitTimer::look() noexcept {
    const std::chrono::nanoseconds now = clock_now();
    since_ = looked_.count() == 0 ? now : since_;
    waited_ += counted(looked_, now);
    looked_ = now;
}

std::string text_of_time(std::chrono::nanoseconds time) {
    using namespace std::chrono;
    const nanoseconds passed = std::max(time, nanoseconds(0));
    return passed < milliseconds(1) ? std::to_string(duration_cast<microseconds>(passed).count()) + " us"
                                    : text_of(duration_cast<milliseconds>(passed));
}

std::string text_of(std::chrono::milliseconds time) {
    return time.count() % 1000 == 0 && time.count() != 0 ? std::to_string(time.count() / 1000) + " s"
                                                         : std::to_string(time.count()) + " ms";
}

} // namespace tutti::engine
