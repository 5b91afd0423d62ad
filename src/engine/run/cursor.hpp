#pragma once

#include "mailbox/mailbox.hpp"
#include "mixed.hpp"
#include "run/prepared.hpp"

#include <algorithm>
#include <array>

namespace tutti::run {

/// How far a member has come in a mailbox: which slots its next operation uses, and under which tags.
struct Cursor {
    /// The epoch of point 0 of the next operation. Equal on all members between operations.
    std::uint64_t epoch = 1;
    /// The epoch of the last synchronising operation; 0 if there was none.
    std::uint64_t sync_epoch = 0;
    /// All members have left the operations before this epoch, as far as this member knows.
    std::uint64_t all_left_before = 1;
    /// A digest of all operations that members could leave without comparing their calls. It is part of every
    /// tag, so the next synchronising operation detects a difference.
    std::uint64_t history = 0;
    /// The epoch of the operation whose messages are in each set of slots; 0 if there are none.
    std::array<std::uint64_t, mailbox::most_sets> message_epochs{};
    /// The set of the next operation.
    unsigned set = 0;
    /// Whether others may still read the messages in this set.
    bool must_wait_for_slots = false;

    /// Moves to the next operation.
    template <class Mailbox>
    void go_to_next(const Prepared& prepared, const Mailbox& mailbox) {
        if (prepared.synchronises) {
            go_to_next_synchronised(*prepared.plan, mailbox.synchronised_sets());
        } else {
            history = mixed(history, prepared.digests.digest);
            // An exchange leaves nothing in its slots that others may still read. So the set stays, and
            // neighbours wait for nobody else.
            const unsigned next = prepared.has_private_counts ? set : next_set(mailbox.sets());
            go_on(*prepared.plan, next);
            must_wait_for_slots = message_epochs[set] >= all_left_before;
        }
    }
    /// The same for a synchronising operation: all members have left the operations before it.
    void go_to_next_synchronised(const plan::Plan& plan, unsigned sets) {
        sync_epoch = all_left_before = epoch;
        go_on(plan, next_set(sets));
        must_wait_for_slots = false;
    }
    /// Has the next operation begin by waiting until all members have entered the one at this epoch, which is
    /// an earlier one.
    void wait_for_all_to_enter(std::uint64_t earlier) {
        message_epochs[set] = std::max(message_epochs[set], earlier - 1);
        must_wait_for_slots = true;
    }
    unsigned next_set(unsigned sets) const { return set + 1 < sets ? set + 1 : 0; }

    /// Goes on from an epoch that no member has reached.
    void resume(std::uint64_t from) {
        const std::uint64_t last_sync_epoch = sync_epoch;
        *this = {};
        epoch = all_left_before = from;
        sync_epoch = last_sync_epoch;
    }

private:
    void go_on(const plan::Plan& plan, unsigned next) {
        message_epochs[set] = plan.carries ? epoch : 0;
        epoch += plan.points;
        set = next;
    }
};

} // namespace tutti::run
