#pragma once

#include "schedule/schedule.hpp"

#include <stdexcept>

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

/// Puts waits into order: by member, then by round, then the strongest first.
void sort_by_member(std::vector<Wait>& waits);
/// By round, then the strongest first, then by member.
void sort_by_round(std::vector<Wait>& waits);

/// The waits that the conflicting accesses of a schedule need, in a protocol that is not eager: for each
/// representative in order of before_round, the strongest of a round first. Time O(accesses to blocks).
std::vector<std::vector<Wait>> conflicts(const Schedule& schedule, Protocol protocol);

/// The waits that earlier ones of the same member do not imply. Time O(waits * ranks), space O(ranks) for
/// each point of a representative that somebody still waits for; from 2^28 of waits * ranks on all waits.
std::vector<std::vector<Wait>> without_implied(const Schedule& schedule,
                                               const std::vector<std::vector<Wait>>& waits);

/// A schedule has more rounds, ranks or blocks than there are numbers for: the only thing wrong with it that
/// depends on how many members there are.
class TooLarge : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// The content of a member's slot when it has completed `point` rounds: either one block or the whole vector.
struct Carried {
    int point = 0;
    Space space = Space::input;
    Blocks blocks;

    friend bool operator==(const Carried&, const Carried&) = default;
};

/// A schedule with the waits that order its conflicting accesses.
struct Synchronised {
    Schedule schedule;
    Protocol protocol = Protocol::zero_copy;
    /// One list for each representative, in order of before_round.
    std::vector<std::vector<Wait>> waits;
    /// Protocol::eager only: one list for each representative, in order of point.
    std::vector<std::vector<Carried>> eager;

    /// The waits of `rank`, with its own names for the members.
    std::vector<Wait> waits_of(int rank) const;
};

/// Derives the waits from the conflicts: a read after the write that made the value, a write after the reads
/// of what it replaces, the return to the caller after every access to the caller's vectors; minus what
/// earlier waits already imply. The result is a proposal: the verifier proves it.
///
/// Throws std::invalid_argument for Protocol::eager when the schedule cannot be eager: it stores into other
/// members, or a member would have to send two different things at one point. Throws TooLarge when it has
/// more than 32,765 rounds.
Synchronised synchronise(Schedule schedule, Protocol protocol);

} // namespace tutti::schedule
