#pragma once

#include "schedule/synchronise.hpp"
#include "verify/report.hpp"
#include "verify/terms.hpp"

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
        Term before;
        int written_in = -1;
    };
    struct Store {
        std::size_t cell;
        Term value;
    };

    std::size_t cell(int stored, schedule::Space space, int block) const;
    void fill_inputs();
    void publish(int point);
    void run_round(int round);
    void run_move(int actor, int round, const schedule::Move& move);
    void run_prefixes(int actor, int round, const schedule::Move& move);
    /// `into` has one term for each block of the place, undefined where it is not followed.
    void read(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void read_payload(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void combine_every(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void write(int actor, int round, const schedule::Place& place, const std::vector<Term>& values);
    void set(std::size_t cell, int round, Term value);
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
