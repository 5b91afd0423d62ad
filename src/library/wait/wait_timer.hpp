#pragma once

#include "mailbox/event_count.hpp"

#include <tutti/detail/export.h>
#include <tutti/options.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tutti::library {

/// The sequences of calls of a group, each numbered on its own, in which all members must make the same ones:
/// those that block, nonblocking ones, and persistent ones, which may start at any time.
enum class Sequence : std::uint8_t { blocking, nonblocking, persistent };
constexpr std::size_t sequence_count = 3;

/// The timeout that the option `name` gives, or `otherwise` if it gives none. Throws ArgumentError if it is
/// not positive.
TUTTI_COMPONENT_API std::chrono::milliseconds timeout_or(Timeout given, const char* name,
                                                         std::chrono::milliseconds otherwise);

/// The timeout that the option `name` gives, or else TUTTI_TIMEOUT; 0 if neither does, which is no limit.
/// Throws ArgumentError if the option is not positive.
TUTTI_COMPONENT_API std::chrono::milliseconds timeout_of(Timeout given, const char* name);

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

    /// The same as time(). The longest timeouts have too many nanoseconds.
    std::chrono::milliseconds milliseconds() const noexcept {
        return std::chrono::duration_cast<std::chrono::milliseconds>(waited_);
    }

private:
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

} // namespace tutti::library
