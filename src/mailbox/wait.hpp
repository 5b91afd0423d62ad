#pragma once

#include "mailbox/event_count.hpp"
#include "mailbox/pause.hpp"

#include <tutti/detail/export.hpp>

#include <cstdint>
#include <limits>

namespace tutti::mailbox {

/// How long a member tries each way of waiting before it goes on to the next: spin, then yield the CPU
/// between looks, then sleep. Times, not counts: a pause takes from nothing to 140 cycles, depending on the
/// core.
struct WaitPolicy {
    /// A way that the member never leaves.
    static constexpr std::int64_t for_good_ns = std::numeric_limits<std::int64_t>::max() / 2;

    std::int64_t spin_ns = 0;
    std::int64_t yield_ns = 0;
};

/// How often a member looks before it waits. Mostly everybody is at it: what another takes to get here is a
/// few looks, if there is a CPU for it.
inline int eager_looks(const WaitPolicy& wait_policy) {
    constexpr int looks = 64;
    return wait_policy.spin_ns > 0 ? looks : 1;
}

/// One wait in progress: decides what to do between two looks.
///
/// A CPU that other processes want is not yielded, since they would have it for milliseconds: a member that
/// may sleep does so instead. That such is the case shows in a yield that took long while this process got
/// little done, and is remembered for the CPU for a while, after which yielding is tried again.
class Backoff {
public:
    explicit Backoff(const WaitPolicy& wait_policy) noexcept
        : wait_policy_(wait_policy), spinning_(wait_policy.spin_ns > 0) {}

    enum class Next { look, check, sleep };

    /// Passes a moment (a pause at first, then a yield) and says what to do next: look again, look whether
    /// waiting still makes sense, or sleep.
    Next pass() noexcept {
        if (spinning_ && ++passes_ % passes_per_clock != 0) {
            pause();
            return Next::look;
        }
        return pass_slowly();
    }

    /// Whether it is time again for a look that takes longer.
    bool takes_long() const noexcept { return takes_long_; }

    /// The bound of the next sleep. Grows, so that a long wait costs next to nothing.
    std::int64_t sleep_bound_ns() noexcept;

private:
    /// Reading the clock costs as much as an exchange: seldom while spinning, and a yield is dear enough
    /// anyway.
    static constexpr std::uint32_t passes_per_clock = 64;

    TUTTI_COMPONENT_API Next pass_slowly() noexcept;

    WaitPolicy wait_policy_;
    std::int64_t started_ns_ = 0;
    std::int64_t long_look_ns_ = 0;
    bool takes_long_ = false;
    std::int64_t bound_ns_ = 0;
    std::uint32_t passes_ = 0;
    bool spinning_;
    bool yielded_ = false;
};

/// Waits until `ready()`, asleep until `event` (a BasicEventCount) is notified if it takes long.
/// `check(takes_long)` is called now and then, `takes_long` where the wait does, and throws when waiting has
/// become pointless.
template <class Ready, class Check, class Event>
void wait_until(Ready&& ready, Check&& check, Event& event, const WaitPolicy& wait_policy) {
    Backoff backoff(wait_policy);
    while (!ready()) {
        const Backoff::Next next = backoff.pass();
        if (next == Backoff::Next::look) {
            continue;
        }
        check(next == Backoff::Next::sleep || backoff.takes_long());
        if (next == Backoff::Next::sleep) {
            event.sleep(ready, backoff.sleep_bound_ns());
        }
    }
}

} // namespace tutti::mailbox
