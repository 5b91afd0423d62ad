#pragma once

#include "schedule/synchronise.hpp"
#include "verify/report.hpp"
#include "verify/terms.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::verify {

/// Carries out a schedule on symbolic values, round by round: a member sees its own vectors as its earlier
/// moves left them, and those of others as they were before the round. Other proofs (races, slots) show that
/// the waits guarantee this. In place, input and output are one vector; eager, a member reads from another's
/// slot as it was at the point for which the reader waited.
///
/// One program is run for each representative; what the other members hold follows by renaming.
/// Time O(blocks moved by the representatives), space O(representatives * blocks).
class SymbolicRun {
public:
    /// Runs the schedule and reports blocks read that nobody wrote, vectors that may not be written, and
    /// (eager) messages that are not there. `plan` must outlive the run.
    /// Only blocks begin .. end - 1 are followed, which must be all unless the schedule keeps blocks apart.
    SymbolicRun(const schedule::Synchronised& plan, int begin, int end, Report& report);

    /// The content of a member's output after the call.
    class Output;
    Output output(int rank) const;

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
    /// The contents of the blocks of a representative's vector that are followed.
    std::span<Cell> cells(std::size_t stored, schedule::Space space);
    std::span<const Cell> cells(std::size_t stored, schedule::Space space) const;
    void fill_inputs();
    void publish(int point);
    void run_round(int round);
    const Term& before_round(const Cell& cell) const {
        return cell.change < first_change_ ? cell.now : before_[cell.change - first_change_];
    }
    void run_pass(int actor, int round, schedule::Round pass);
    std::vector<Term> in_tree(std::span<const std::vector<Term>> operands);
    void run_move(int actor, int round, const schedule::Move& move);
    void run_prefixes(int actor, int round, const schedule::Move& move);
    /// `into` has one term for each block of the place that is followed, in order.
    void read(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void read_payload(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void read_input(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void combine_several(int actor, int round, const schedule::Place& place, std::vector<Term>& into);
    void write(int actor, int round, const schedule::Place& place, const std::vector<Term>& values);
    void set(Cell& target, Term value) {
        if (target.change < first_change_) {
            target.change = first_change_ + static_cast<std::uint32_t>(before_.size());
            before_.push_back(target.now);
        }
        target.now = value;
    }
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
    /// The contents before this round of the cells that it changed, and the number of the first such change.
    std::vector<Term> before_;
    std::uint32_t first_change_ = 1;
    /// Stores into other members, which become visible after the round.
    std::vector<Store> stores_;
    /// Eager: for each representative and entry of its `carried` list, what was sent.
    std::vector<std::vector<std::vector<Term>>> sent_;
    /// Carried: for each representative its waits by member and round.
    std::vector<std::vector<schedule::Wait>> waits_by_member_;
    std::vector<Term> left_;
    std::vector<Term> right_;
};

/// The run must outlive it.
class SymbolicRun::Output {
public:
    Output(const SymbolicRun& run, int rank)
        : terms_(run.terms_), cells_(run.cells(run.schedule_.representative(rank), schedule::Space::output)),
          begin_(run.begin_), back_(run.schedule_.to_representative(rank)),
          by_(run.schedule_.translation(rank).by()) {}

    /// Undefined where nothing was written. `block` is one of those that were followed.
    Term operator[](int block) const {
        return terms_.shifted(cells_[static_cast<std::size_t>(back_.block(block) - begin_)].now, by_);
    }

private:
    const Terms& terms_;
    std::span<const Cell> cells_;
    int begin_;
    schedule::Translation back_;
    int by_;
};

inline SymbolicRun::Output SymbolicRun::output(int rank) const {
    return {*this, rank};
}

/// "scratch0 blocks 3..5 of member 2"
std::string describe(const schedule::Place& place, int blocks);

} // namespace tutti::verify
