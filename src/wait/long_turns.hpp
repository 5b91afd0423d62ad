#pragma once

#include <chrono>

namespace tutti::engine {

/// When a thread that yields while it waits keeps its CPU instead. A yield to a busy thread of another
/// program takes milliseconds, and a call may have many waits: the thread then keeps the CPU for as long as
/// it has been without it, and so loses at most twice what the best choice does.
class LongTurns {
public:
    bool keeps_cpu(std::chrono::nanoseconds now) const { return now < until_; }

    /// The thread looked at the clock at these times, and may have yielded in between.
    void note(std::chrono::nanoseconds before, std::chrono::nanoseconds now) {
        constexpr std::chrono::milliseconds long_turn{2};
        if (now - before >= long_turn) {
            until_ = now + (now - before);
        }
    }

private:
    std::chrono::nanoseconds until_{0};
};

} // namespace tutti::engine
