#pragma once

#include "mailbox/slot.hpp"
#include "model_word.hpp"

#include <cstdint>

namespace tutti::model {

/// The members that are parked. Relacy switches only at atomic accesses, so parking is one step with the
/// glance that has found nothing, and waking one step with the store before it.
class Parked {
public:
    static void reset() { parked_ = 0; }

    static void park() {
        parked_ |= 1U << rl::ctx().current_thread();
        rl::ctx().park_current_thread(false, false, false, RL_INFO);
    }

    static void wake_all() {
        for (rl::thread_id_t member = 0; parked_ != 0; ++member, parked_ >>= 1U) {
            if ((parked_ & 1U) != 0) {
                rl::ctx().unpark_thread(member, false, RL_INFO);
            }
        }
    }

private:
    static inline unsigned parked_ = 0;
};

/// A mailbox::BasicSlot that wakes who is parked.
template <class Cell>
class ModelSlot : public mailbox::BasicSlot<Cell> {
public:
    void publish(std::uint64_t tag, const std::uint64_t* words, int count) {
        mailbox::BasicSlot<Cell>::publish(tag, words, count);
        Parked::wake_all();
    }
    void signal(std::uint64_t tag) {
        mailbox::BasicSlot<Cell>::signal(tag);
        Parked::wake_all();
    }
};

/// The words of a board. One at which nobody looks is not watched, which takes far fewer executions.
template <Orders orders>
class BoardWord {
public:
    void watch() { is_watched_ = true; }

    void publish(std::uint64_t value) noexcept {
        if (is_watched_) {
            word_.publish(value);
            Parked::wake_all();
        }
    }
    std::uint64_t observe() const noexcept {
        RL_ASSERT(is_watched_);
        return word_.observe();
    }

private:
    ModelWord<orders, Words::relaxed> word_;
    bool is_watched_ = false;
};

/// Nobody sleeps.
struct NoBell {
    void notify_if_needed() noexcept {}
};

} // namespace tutti::model
