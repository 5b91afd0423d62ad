#pragma once

#include "run/prepared.hpp"

#include <cstdint>

namespace tutti::run {

/// How far a member has come in a mailbox: which slots its next operation uses, and under which tags.
struct Line {
    /// The epoch of point 0 of the next operation. Equal on all members between operations.
    std::uint64_t epoch = 1;
    /// That of the last one.
    std::uint64_t epoch_before = 0;
    /// That of the last operation that nobody could complete before all had entered it, 0 if there was none.
    std::uint64_t meeting = 0;
    /// A digest of all operations so far that may end before their members have heard of each other: had two
    /// of them been in different ones, they find out in the next that does not.
    std::uint64_t history = 0;
    unsigned parity = 0;
    /// Whether this member carried messages in the last operation.
    bool carried_before = false;
    /// Whether the slots that come next may still be read: this member carried messages in the operation
    /// before the last, and the last one says nothing about whether everybody has left that.
    bool must_settle = false;

    /// Goes on to the next operation.
    void complete(const Prepared& prepared) {
        if (prepared.settles) {
            meeting = epoch;
        } else {
            history = mixed(history, prepared.marks.digest);
        }
        must_settle = carried_before && !prepared.settles;
        carried_before = prepared.plan->carries;
        epoch_before = epoch;
        epoch += prepared.plan->points;
        parity ^= 1U;
    }

    /// Goes on from an epoch that no member has reached.
    void resume(std::uint64_t from) {
        const std::uint64_t last_meeting = meeting;
        *this = {};
        epoch = from;
        meeting = last_meeting;
    }
};

} // namespace tutti::run
