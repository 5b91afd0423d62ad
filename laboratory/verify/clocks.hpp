#pragma once

#include "schedule/runs.hpp"
#include "schedule/synchronise.hpp"
#include "verify/report.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::verify {

/// The knowledge of members about each other's progress that the waits of a schedule give, for several
/// operations back to back.
///
/// A position is a member's progress: operation * (rounds + 1) + completed rounds. A member publishes each
/// position as it reaches it (release), and a wait (acquire) adds everything that the other knew there.
///
/// Mostly a member must know just the points that it has waited for itself. Only when more is needed are
/// vector clocks computed: the clock of a member, at a position, has for every member the position that it is
/// certain to have reached. They are kept for the representatives; those of other members follow by renaming.
/// Time and space O(waits * ranks) for each representative, without clocks O(waits).
class Clocks {
public:
    /// `waits` holds one list for each representative, in order of before_round.
    Clocks(const schedule::Schedule& schedule, const std::vector<std::vector<schedule::Wait>>& waits,
           int operations);

    /// Simulates the waits. Reports a deadlock and returns false when somebody gets stuck; nothing is known
    /// then.
    bool run(Report& report);

    /// Whether `observer`, after its waits before `round` of the first operation (before the return when that
    /// is the number of rounds), is certain that `subject`, another member, has completed `point` rounds.
    bool knows(int observer, int round, int subject, int point);

    int position(int operation, int point) const { return operation * (rounds_ + 1) + point; }

    /// The position of `subject` that `observer` knows when it publishes `position`, or less than 0.
    int known_at(int observer, int position, int subject);

private:
    /// A schedule has fewer than 32766 rounds, and three operations of many rounds are not looked at.
    using Position = std::int16_t;

    /// The knowledge of a member at a position: of everybody or, if it has learnt of one member only, that
    /// and the clock before, so that p members that each look at one another after the other need not p^3
    /// entries.
    struct Clock {
        std::vector<Position> known;
        std::size_t before = 0;
        int subject = 0;
        Position position = -1;
        int single_steps = 0;
    };

    void simulate();
    bool advance(std::size_t stored);
    void group_waits();
    void compute_clocks();
    void set_clock(std::size_t stored, int here);
    Position known_by(std::size_t clock, int name) const;
    std::vector<Position> all_known_by(std::size_t clock) const;
    Clock after(std::size_t clock, std::span<const schedule::Wait> waits, int start) const;
    std::size_t clock_of(int member, int position) const;
    void learn(std::vector<Position>& mine, int member, int position) const;
    std::size_t index(std::size_t stored, int position) const;

    const schedule::Schedule& schedule_;
    const std::vector<std::vector<schedule::Wait>>& waits_;
    int rounds_;
    int last_;
    std::size_t ranks_;
    /// For each representative: the position reached, and the first wait not yet satisfied in this operation.
    std::vector<int> reached_;
    std::vector<std::size_t> next_wait_;
    /// For each representative and member what it waits for, in order of round, each with the highest point
    /// so far.
    struct Sure {
        Position before_round = 0;
        Position point = -1;
    };
    std::optional<schedule::Grouped<Sure>> sure_;
    /// Which of the clocks a representative has at a position: a new one only if it has learnt something. A
    /// clock has no entry for its own member, whose position is known. Empty until needed.
    std::vector<std::size_t> clock_at_;
    std::vector<Clock> clocks_;
};

/// The waits of every representative, and with them those that the executor adds: unless messages are
/// eager, a member looks up a peer's vectors before the first round in which it touches them, for which
/// that peer must have entered the call (point 0).
std::vector<std::vector<schedule::Wait>> all_waits(const schedule::Synchronised& plan);

/// Reports every pair of conflicting accesses by different members to a block that the waits do not order as
/// the rounds do: an access of an earlier round first, and within a round reads before writes.
///
/// A block's owner counts as writing it before its entry and after its return, whichever vector it is in: its
/// caller fills input and output again, and the next operation on the group, whatever it is, may use its
/// scratch. One operation is enough to look at then: an access of this operation comes before the owner's
/// writes after its return, these before its next entry, and that before any access of the next operation,
/// which is the two facts proved here.
///
/// For Protocol::zero_copy and Protocol::in_place; `clocks` must have run for one operation at least.
void check_races(const schedule::Synchronised& plan, Clocks& clocks, Report& report);

/// The same for mailbox slots of Protocol::eager. The slots of one operation are written again by the
/// operation after next, so a member that waits for a point (and reads its message) in one operation must be
/// done with that round before the owner publishes the point in the operation after next. `clocks` must have
/// run for three operations. There is nothing to prove of collectives that let members run ahead of each
/// other: before a member writes over a message, the executor waits until everybody has entered the operation
/// in between.
void check_slots(const schedule::Synchronised& plan, Clocks& clocks, Report& report);

} // namespace tutti::verify
