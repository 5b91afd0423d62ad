#pragma once

#include "mailbox/clock.hpp"

#include <tutti/detail/export.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace tutti::engine {

/// How much of the time between two looks of a waiting member counts. It looks at least every 16 ms, if the
/// process runs; after the process has been stopped, the time between two looks counts up to this.
inline constexpr std::chrono::nanoseconds most_between_looks = std::chrono::milliseconds(100);

/// How long one wait has lasted, and how long it may. Used by the waiting thread only.
class WaitTimer {
public:
    /// Nobody has waited yet. 0: it may last for ever.
    explicit WaitTimer(std::chrono::milliseconds timeout) noexcept : timeout_(timeout) {}

    std::chrono::milliseconds timeout() const noexcept { return timeout_; }
    /// When the first look was, by clock_now(); 0 if there was none.
    std::chrono::nanoseconds since() const noexcept { return since_; }

    /// A look.
    TUTTI_COMPONENT_API void look() noexcept;

    /// Since then, as far as the process ran.
    std::chrono::nanoseconds time() const noexcept { return waited_; }

    /// Whether it has lasted for the timeout, or half of it, as far as the process ran.
    bool is_over() const noexcept { return timeout_.count() != 0 && milliseconds() >= timeout_; }
    bool is_half_over() const noexcept { return timeout_.count() != 0 && milliseconds() >= timeout_ / 2; }

private:
    /// The longest timeouts have too many nanoseconds.
    std::chrono::milliseconds milliseconds() const noexcept {
        return std::chrono::duration_cast<std::chrono::milliseconds>(waited_);
    }

    std::chrono::milliseconds timeout_;
    std::chrono::nanoseconds since_{0};
    std::chrono::nanoseconds looked_{0};
    std::chrono::nanoseconds waited_{0};
};

/// The part of the time from one look to the next that counts. The first may be 0: there was none.
std::chrono::nanoseconds counted(std::chrono::nanoseconds before, std::chrono::nanoseconds now) noexcept;

using mailbox::clock_now;
using mailbox::coarse_clock_now;

/// The end of a wait that has none.
inline constexpr std::chrono::nanoseconds no_end = std::chrono::nanoseconds::max();

/// When a time that begins now is over, by clock_now(); no_end if it is too long for that clock.
TUTTI_COMPONENT_API std::chrono::nanoseconds end_after(std::chrono::duration<double> time) noexcept;

/// An event count, sleeps on which end at a time of clock_now() at the latest.
template <class Event>
class EndingEventCount {
public:
    EndingEventCount(Event& event, std::chrono::nanoseconds end) : event_(event), end_(end) {}

    template <class Ready>
    void sleep(Ready&& ready, std::int64_t bound_ns) {
        const std::int64_t left = end_ == no_end ? bound_ns : (end_ - clock_now()).count();
        event_.sleep(std::forward<Ready>(ready), std::clamp(left, std::int64_t{0}, bound_ns));
    }

private:
    Event& event_;
    std::chrono::nanoseconds end_;
};

/// As long as "168 us", "1500 ms", "10 s".
TUTTI_COMPONENT_API std::string text_of_time(std::chrono::nanoseconds time);

/// "1500 ms", "10 s".
TUTTI_COMPONENT_API std::string text_of(std::chrono::milliseconds time);

} // namespace tutti::engine
