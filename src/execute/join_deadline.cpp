#include "execute/join_deadline.hpp"

#include <algorithm>

namespace tutti::execute {

bool JoinDeadline::has_passed() noexcept {
    if (deadline_.count() == 0) {
        return false;
    }
    // Who waits looks at least every 16 ms, if the process runs. It may have been stopped: what lies between
    // two looks counts up to here.
    constexpr std::chrono::nanoseconds most = std::chrono::milliseconds(100);
    const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    // Relaxed: each bit of time is counted once, by whoever looks next.
    const std::int64_t before = looked_ns_.exchange(now.count(), std::memory_order_relaxed);
    const std::int64_t passed =
        before == 0 ? 0 : std::clamp<std::int64_t>(now.count() - before, 0, most.count());
    const std::int64_t waited = waited_ns_.fetch_add(passed, std::memory_order_relaxed) + passed;
    // Not in nanoseconds, of which the longest deadline has too many.
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(waited)) >=
           deadline_;
}

} // namespace tutti::execute
