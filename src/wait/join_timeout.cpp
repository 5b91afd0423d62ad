#include "wait/join_timeout.hpp"

#include "wait/wait_timer.hpp"

namespace tutti::engine {

bool JoinTimeout::has_passed() noexcept {
    if (timeout_.count() == 0) {
        return false;
    }
    const std::chrono::nanoseconds now = clock_now();
    // Relaxed: each bit of time is counted once, by the member that looks next.
    const std::int64_t before = looked_ns_.exchange(now.count(), std::memory_order_relaxed);
    const std::int64_t passed = counted(std::chrono::nanoseconds(before), now).count();
    const std::int64_t waited = waited_ns_.fetch_add(passed, std::memory_order_relaxed) + passed;
    // Not in nanoseconds, of which the longest timeout has too many.
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(waited)) >=
           timeout_;
}

std::string advice_on_absence() {
    return "Every rank of a group must be joined by its own thread, at the "
           "same time. Check what limits the number of threads (num_threads, OMP_THREAD_LIMIT, nested "
           "regions, the size of a pool)";
}

} // namespace tutti::engine
