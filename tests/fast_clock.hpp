#pragma once

#include <chrono>

namespace tutti::test {

/// While it exists, timeouts and the sleeps of waiting members pass faster by a factor. A program that uses
/// it has fast_clock.cpp, which replaces the clock of the library. One at a time.
class FastClock {
public:
    explicit FastClock(int factor);
    ~FastClock();
    FastClock(const FastClock&) = delete;
    FastClock& operator=(const FastClock&) = delete;
};

/// While it exists, time passes when the thread that made it looks at the clock, by a step for each look: no
/// other thread sees that a timeout is over before that thread has. One at a time, and no FastClock.
class LedClock {
public:
    explicit LedClock(std::chrono::nanoseconds step);
    ~LedClock();
    LedClock(const LedClock&) = delete;
    LedClock& operator=(const LedClock&) = delete;
};

/// Sleeps for a time of the library's clock.
void sleep_for(std::chrono::nanoseconds time);

} // namespace tutti::test
