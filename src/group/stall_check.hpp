#pragma once

#include "group/group_state.hpp"
#include "wait/wait_timer.hpp"

#include <cstdint>

namespace tutti::engine {

/// One look of a waiting member.
struct StallCheck {
    /// Whether it may take the time to read the peer's calls.
    bool takes_long;
    /// The number of the run's operation.
    std::uint64_t number;
    /// Whether the member can do nothing before that has got on.
    bool is_stuck;
};

/// Looks whether a run of `member` waits for something that can still come, and throws the error if not: the
/// group has failed, or the peer is in another call, or gone, or has not joined in time, or the call has
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
    const auto is_ready = [&runner] { return runner.is_ready(); };
    const Stall stall{sequence, asked.number, member, peer};
    Diagnosis& diagnosis = group.diagnosis();
    if (asked.takes_long) {
        group.require_own_process();
        group.note_binding_again(member);
        group.require_joined(member, peer);
        diagnosis.check(stall, asked.is_stuck && !runner.waits_for_slots(), is_ready);
        waited.look();
        group.memory().status(member).wait.show(
            {.sequence = sequence, .number = asked.number, .peer = peer, .since = waited.since()});
        if (waited.is_over() && !runner.is_ready()) {
            diagnosis.time_out(stall, waited.timeout(), is_ready);
        }
        if (waited.is_half_over()) {
            diagnosis.take_snapshot(waited.timeout());
        }
    }
    const bool is_gone = group.has_left(member, peer);
    if (runner.waits_for_slots()) {
        return is_gone;
    }
    if (runner.meets_another_call()) {
        diagnosis.throw_different(stall);
    }
    if (is_gone && !runner.is_ready()) {
        if (group.failure().raised()) { // which is why it is away
            group.failure().throw_aborted();
        }
        diagnosis.throw_absent(stall);
    }
    return false;
}

} // namespace tutti::engine
