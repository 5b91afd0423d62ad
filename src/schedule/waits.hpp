#pragma once

#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// How a schedule is executed, which decides the waits it needs.
///
/// - zero_copy: members read and write each other's vectors in place; input and output are different memory
/// - in_place: the same, and input and output are the same memory
/// - eager: what a member sends travels through its mailbox when it is published, so nobody looks into
///   anybody's vectors and nothing needs acknowledging
enum class Protocol { zero_copy, in_place, eager };

/// A member may not start round `before_round` (or return to its caller, when that is the number of rounds)
/// before `member` has completed `point` rounds. Point 0 is the entry into the call; only eager schedules
/// wait for it by name, in the other protocols a member opens another's vectors, which waits for its entry,
/// before it first touches them.
struct Wait {
    int before_round = 0;
    int member = 0;
    int point = 0;

    friend bool operator==(const Wait&, const Wait&) = default;
};

/// How many blocks to look at in one go. A table of all vectors of all stored programs then stays within some
/// 100 MB and, if few moves touch many blocks, within the caches. These are all blocks, unless each of many
/// ranks has a program of its own. Blocks that are not kept apart must be looked at together; otherwise moves
/// can be skipped whose blocks are not among those looked at.
int blocks_at_a_time(const Schedule& schedule);

/// Whether a move is none in this protocol: in place, the copy of a member's own input to the same blocks of
/// its own output.
inline bool moves_nothing(const Move& move, Protocol protocol) {
    return protocol == Protocol::in_place && !move.reduces && move.to.member == move.left.member &&
           move.to.space == Space::output && move.left.space == Space::input &&
           move.to.blocks == move.left.blocks;
}

/// Whether others than the representative itself touch this vector of it, so that there is anything to order.
inline bool is_shared(const Schedule& schedule, Protocol protocol, std::size_t stored, Space space) {
    const bool one_vector =
        protocol == Protocol::in_place && (space == Space::input || space == Space::output);
    return one_vector ? schedule.is_shared(stored, Space::input) || schedule.is_shared(stored, Space::output)
                      : schedule.is_shared(stored, space);
}

} // namespace tutti::schedule
