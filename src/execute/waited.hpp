#pragma once

#include <chrono>
#include <cstdint>

namespace tutti::execute {

/// How much of the time between two looks of who waits counts. It looks at least every 16 ms, if the process
/// runs; where that has been stopped, what lies between two looks counts up to here.
inline constexpr std::chrono::nanoseconds most_between_looks = std::chrono::milliseconds(100);

/// How long one wait has lasted. Of the thread that waits.
class Waited {
public:
    /// A look. Returns the time since the first one, as far as the process ran.
    std::chrono::nanoseconds look() noexcept;

    /// Nobody has waited yet.
    void restart() noexcept { *this = Waited(); }

private:
    std::chrono::nanoseconds looked_{0};
    std::chrono::nanoseconds waited_{0};
};

/// What counts of the time from one look to the next, of which the first may be 0: there was none.
std::chrono::nanoseconds counted(std::chrono::nanoseconds before, std::chrono::nanoseconds now) noexcept;

/// The time of a clock that only grows.
inline std::chrono::nanoseconds clock_now() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch();
}

} // namespace tutti::execute
