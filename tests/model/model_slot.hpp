#pragma once

#include "mailbox/slot.hpp"
#include "mailbox/tag.hpp"
#include "model_word.hpp"

#include <cstdint>
#include <limits>

namespace tutti::model {

/// Makes the loads of the current member see the latest stores while it lives.
class FreshLook {
public:
    FreshLook() : member_(*rl::ctx().threadx_), last_yield_(member_.last_yield_) {
        // Relacy lets nobody see again what was old before its last yield.
        member_.last_yield_ = std::numeric_limits<rl::timestamp_t>::max();
    }
    ~FreshLook() { member_.last_yield_ = last_yield_; }
    FreshLook(const FreshLook&) = delete;
    FreshLook& operator=(const FreshLook&) = delete;

private:
    rl::thread_info_base& member_;
    rl::timestamp_t last_yield_;
};

/// How a member waits for a slot.
///
/// - spins: looks again and again, as the library does
/// - parks: looks only once there is something to see, which takes far fewer executions. It hides no error:
///   a look that fails does nothing but order the looker after an older value.
enum class Waits { parks, spins };

/// A mailbox::BasicSlot with a way to wait for it under relacy.
template <class Cell, Waits waits = Waits::parks>
class ModelSlot {
public:
    void publish(std::uint64_t epoch, const std::uint64_t* words, int count) {
        slot_.publish(mailbox::make_tag(epoch, print), words, count);
        wake(epoch);
    }

    void signal(std::uint64_t epoch) {
        slot_.signal(mailbox::make_tag(epoch, print));
        wake(epoch);
    }

    void await(std::uint64_t epoch, int count) {
        if constexpr (waits == Waits::spins) {
            while (!slot_.holds(epoch, count)) {
                rl::yield(1, RL_INFO);
            }
        } else {
            if (published_ < epoch) {
                parked_ |= 1U << rl::ctx().current_thread();
                rl::ctx().park_current_thread(false, false, false, RL_INFO);
            }
            const FreshLook fresh;
            RL_ASSERT(slot_.holds(epoch, count));
        }
    }

    std::uint64_t word(int index) const { return slot_.word(index); }

private:
    static constexpr std::uint64_t print = 0xabcde;

    /// Relacy switches only at atomic accesses, so this is one step with the last store of the publication.
    void wake(std::uint64_t epoch) {
        published_ = epoch;
        for (rl::thread_id_t member = 0; parked_ != 0; ++member, parked_ >>= 1U) {
            if ((parked_ & 1U) != 0) {
                rl::ctx().unpark_thread(member, false, RL_INFO);
            }
        }
    }

    mailbox::BasicSlot<Cell> slot_;
    std::uint64_t published_ = 0;
    unsigned parked_ = 0;
};

} // namespace tutti::model
