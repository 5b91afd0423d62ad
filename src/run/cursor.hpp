#pragma once

#include "mailbox/mailbox.hpp"
#include "mixed.hpp"
#include "run/prepared.hpp"

#include <array>
#include <cstdint>

namespace tutti::run {

/// How far a member has come in a mailbox: which slots its next operation uses, and under which tags.
struct Cursor {
    /// The epoch of point 0 of the next operation. Equal on all members between operations.
    std::uint64_t epoch = 1;
    /// That of the last operation that nobody could complete before all had entered it, 0 if there was none.
    std::uint64_t sync_epoch = 0;
    /// No member is in an operation before this epoch any more, as far as this member knows.
    std::uint64_t oldest = 1;
    /// A digest of all operations so far that may end before their members have seen of each other: had two
    /// of them been in different ones, they find out in the next that does not.
    std::uint64_t history = 0;
    /// The epochs of the operations whose messages of this member lie in each set of slots; 0 if none do.
    std::array<std::uint64_t, mailbox::most_sets> eager{};
    /// The set that is next.
    unsigned set = 0;
    /// Whether the messages in that may still be read.
    bool must_wait_for_slots = false;

    /// Goes on to the next operation, in a mailbox of so many sets.
    void complete(const Prepared& prepared, unsigned sets) {
        if (prepared.synchronises) {
            complete_synchronised(*prepared.plan, sets);
        } else {
            history = mixed(history, prepared.digests.digest);
            go_on(*prepared.plan, sets);
            must_wait_for_slots = eager[set] >= oldest;
        }
    }
    /// The same if the operation synchronises: everybody has left those before.
    void complete_synchronised(const plan::Plan& plan, unsigned sets) {
        sync_epoch = oldest = epoch;
        go_on(plan, sets);
        must_wait_for_slots = false;
    }
    unsigned next_set(unsigned sets) const { return set + 1 == sets ? 0 : set + 1; }

    /// Goes on from an epoch that no member has reached.
    void resume(std::uint64_t from) {
        const std::uint64_t last_sync_epoch = sync_epoch;
        *this = {};
        epoch = oldest = from;
        sync_epoch = last_sync_epoch;
    }

private:
    void go_on(const plan::Plan& plan, unsigned sets) {
        eager[set] = plan.carries ? epoch : 0;
        epoch += plan.points;
        set = next_set(sets);
    }
};

} // namespace tutti::run
