#pragma once

#include "diagnose/disagreement.hpp"
#include "diagnose/roll_call.hpp"
#include "group/group_state.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::execute {

/// One look of who waits.
struct StallCheck {
    /// Whether it may take the time to read what the peer has called.
    bool takes_long;
    /// The number of the run's operation.
    std::uint64_t number;
    /// Whether the member can do nothing before that has got on.
    bool is_stuck;
};

/// Looks whether what a run of `member` waits for can still come, and throws what is wrong where it cannot:
/// the group has failed, or the peer is in another call, or gone, or has not joined in time, or the call has
/// waited longer than it may: `waited` counts that, and the member shows it. Returns whether the run may stop
/// waiting, since it waits for no more than that a member has left an operation before, which it has if it is
/// gone.
template <class Runner>
bool check_stalled(detail::GroupState& group, Sequence sequence, int member, const Runner& runner,
                   WaitTimer& waited, const StallCheck& asked) {
    if (group.failure().raised()) {
        group.failure().throw_aborted();
    }
    const int peer = runner.peer();
    if (asked.takes_long) {
        group.require_joined(member, peer);
        if (const auto text = difference(group, sequence, member, peer)) {
            throw_mismatch(group, *text);
        }
        if (const auto text = other_order(group, sequence, member, peer); text && !runner.is_ready()) {
            throw_mismatch(group, *text);
        }
        if (asked.is_stuck && !runner.waits_for_slots() && !runner.is_ready()) {
            if (const auto text = wait_for_edge(group, sequence, asked.number, member, peer)) {
                throw_mismatch(group, *text);
            }
        }
        waited.look();
        group.status(member).wait.show(
            {.sequence = sequence, .number = asked.number, .peer = peer, .since = waited.since()});
        if (waited.is_over() && !runner.is_ready()) {
            const std::string text =
                text_of_delay(group, sequence, asked.number, member, peer, waited.deadline());
            if (!runner.is_ready()) { // it may have come while that was found out
                throw TimeoutError(text);
            }
        }
        if (waited.is_half_over()) {
            group.take_snapshot(waited.deadline()); // to tell at the deadline who has moved since
        }
    }
    const bool is_gone = group.has_left_for_good(peer);
    if (runner.waits_for_slots()) {
        return is_gone;
    }
    if (runner.meets_another_call()) {
        throw_mismatch(group, disagreement(group, sequence, member, peer));
    }
    if (is_gone && !runner.is_ready()) {
        if (group.failure().raised()) { // which is why it is away
            group.failure().throw_aborted();
        }
        const std::optional<std::string> absent = absence(group, sequence, member, peer);
        throw_mismatch(group, absent ? *absent : disagreement(group, sequence, member, peer));
    }
    return false;
}

} // namespace tutti::execute
