#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace tutti::engine {

/// How long the members of a group have waited for seats that nobody has ever taken. Any member may use it at
/// any time.
class JoinTimeout {
public:
    /// 0: for ever.
    explicit JoinTimeout(std::chrono::milliseconds timeout) : timeout_(timeout) {}

    std::chrono::milliseconds timeout() const { return timeout_; }

    /// Such a seat has been taken.
    void restart() noexcept {
        waited_ns_.store(0, std::memory_order_relaxed); // nothing else hangs on it
    }

    /// A member looks that waits for such a seat. Returns whether that has taken too long.
    bool has_passed() noexcept;

private:
    std::chrono::milliseconds timeout_;
    std::atomic<std::int64_t> looked_ns_{0};
    std::atomic<std::int64_t> waited_ns_{0};
};

/// The possible reasons why members have not joined.
std::string advice_on_absence();

} // namespace tutti::engine
