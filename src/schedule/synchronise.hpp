#pragma once

#include "schedule/waits.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

namespace tutti::schedule {

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
