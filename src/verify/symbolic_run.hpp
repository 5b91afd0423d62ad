#pragma once

#include "schedule/synchronise.hpp"
#include "verify/report.hpp"
#include "verify/terms.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::verify {

/// Carries out a schedule on symbolic values, round by round: a member sees its own vectors as its earlier
/// moves left them, and those of others as they were before the round. That the waits make it so is proved
/// elsewhere (races, slots). In place, input and output are one vector; carried, what a member reads from
/// another is what that one's slot held at the point the reader waited for.
///
/// One program is run for each representative; what the other members hold follows by renaming.
/// Time O(blocks moved by the representatives), space O(representatives * blocks).
class SymbolicRun {
public:
    /// Runs the schedule and reports blocks read that nobody wrote, vectors that may not be written, and
    /// (carried) messages that are not there. `plan` must outlive the run.
    /// Only blocks begin .. end - 1 are followed, which must be all unless the schedule keeps blocks apart.
    SymbolicRun(const schedule::Synchronised& plan, int begin, int end, Report& report);

    /// What `rank` has in its output after the call; undefined where nothing was written. `block` is one of
    /// those that were followed.
    Term output(int rank, int block) const;

    /// The term of an input block.
    Term input(int rank, int block) const { return terms_.input(rank, block); }

    const Terms& terms() const { return terms_; }

private:
    struct Cell {
        Term now;
        /// The number, in the whole run, of its last change that was the first in a round.
        std::uint32_t change = 0;
    };
    struct Store {
        Cell* cell;
        Term value;
    };

    std::size_t first_cell(std::size_t stored, schedule::Space space) const;
    /// What a representative's vector holds in the blocks that are followed.
    std::span<Cell> cells(std::size_t stored, schedule::Space space);
    std::span<const Cell> cells(std::size_t stored, schedule::Space space) const;
    void fill_inputs();
    void publish(int point);
    void run_round(int round);
    const Term& before_round(const Cell& cell) const;
    void run_move(int actor, int round, const schedule::Move& move);
    void run_prefixes(int actor, int round, const schedule::Move& move);
    /// `into` has one term for each block of the place that is followed, in order.
    void read(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void read_payload(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void combine_every(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void write(int actor, int round, const schedule::Place& place, const std::vector<Term>& values);
    void set(Cell& target, Term value);
    bool may_write(const schedule::Place& place) const;

    const schedule::Synchronised& plan_;
    const schedule::Schedule& schedule_;
    int begin_;
    int end_;
    Report& report_;
    Terms terms_;
    /// Vectors of a member: input, output and the scratch that is used.
    std::size_t spaces_;
    std::vector<Cell> cells_;
    /// What the cells that changed in this round held before, and the number of the first such change.
    std::vector<Term> before_;
    std::uint32_t first_change_ = 1;
    /// Stores into other members, which become visible after the round.
    std::vector<Store> stores_;
    /// Carried: for each representative and entry of its `carried` list, what was sent.
    std::vector<std::vector<std::vector<Term>>> sent_;
    /// Carried: for each representative its waits by member and round.
    std::vector<std::vector<schedule::Wait>> waits_by_member_;
    std::vector<Term> left_;
    std::vector<Term> right_;
};

/// "scratch0 blocks 3..5 of member 2"
std::string describe(const schedule::Place& place, int blocks);

} // namespace tutti::verify
