#pragma once

#include "relacy_headers.hpp"

#include <cstdint>

namespace tutti::model {

/// The variations of a test of the event count.
struct Event {
    /// Whether a sleep ends by itself.
    bool bounded = true;
    /// Whether a publisher rings without looking for sleepers first, which the library does not.
    bool always_rings = false;
    /// Whether it looks for them with a full barrier, as mailbox::SureWaiters does.
    bool looks_surely = false;
    rl::memory_order look = rl::mo_acq_rel;
    rl::memory_order arrive = rl::mo_seq_cst;
    rl::memory_order hear = rl::mo_acquire;
    rl::memory_order ring = rl::mo_release;
};

/// A member's current wait.
struct Awaited {
    int peer = 0;
    std::uint64_t epoch = 0;
    /// The bounded sleeps slept to the end although what it waits for was there.
    int overslept = 0;
};

/// The published and awaited values of the members, kept beside the model: it has no part in it.
struct Ledger {
    static inline std::uint64_t published[3];
    static inline Awaited awaited[3];
    /// The most that any wait overslept in any execution.
    static inline int most_overslept;

    static void woke_by_itself(int member) {
        Awaited& wait = awaited[member];
        if (published[wait.peer] >= wait.epoch) {
            wait.overslept += 1;
        }
    }
};

/// mailbox::StdWaiters under relacy, or SureWaiters.
template <Event event>
class ModelWaiters {
public:
    void arrive() noexcept { count_.fetch_add(1, event.arrive, RL_INFO); }
    void leave() noexcept { count_.fetch_sub(1, rl::mo_relaxed, RL_INFO); }
    bool any() noexcept {
        return event.always_rings || (event.looks_surely ? count_.fetch_add(0, event.look, RL_INFO)
                                                         : count_.load(rl::mo_relaxed, RL_INFO)) != 0;
    }

private:
    rl::atomic<std::uint32_t> count_{0};
};

/// mailbox::FutexCounter under relacy. The kernel compares the latest count and puts the caller to sleep in
/// one step, and wakes all that sleep in one step. A bounded sleep that nobody ends goes on for any time in
/// which the others get on, as a millisecond is.
template <Event event>
class ModelCounter {
public:
    std::uint32_t seen() const noexcept { return counter_.load(event.hear, RL_INFO); }

    void notify() noexcept {
        counter_.fetch_add(1, event.ring, RL_INFO);
        rl::ctx().sched();
        for (rl::thread_id_t member = 0; asleep_ != 0; ++member) {
            const unsigned bit = 1U << static_cast<unsigned>(member);
            if ((asleep_ & bit) != 0 && !event.bounded) {
                rl::ctx().unpark_thread(member, false, RL_INFO);
            }
            asleep_ &= ~bit;
        }
    }

    void sleep(std::uint32_t seen, std::int64_t) noexcept {
        rl::ctx().sched();
        if (counter_.debug_value() != seen) {
            rl::yield(1, RL_INFO);
            return;
        }
        const rl::thread_id_t member = rl::ctx().current_thread();
        const unsigned bit = 1U << static_cast<unsigned>(member);
        asleep_ |= bit;
        if (event.bounded) {
            rl::yield(1, RL_INFO);
        } else {
            rl::ctx().park_current_thread(false, false, false, RL_INFO);
        }
        if ((asleep_ & bit) != 0) {
            asleep_ &= ~bit;
            Ledger::woke_by_itself(member);
        }
    }

private:
    rl::atomic<std::uint32_t> counter_{0};
    unsigned asleep_ = 0;
};

} // namespace tutti::model
