#include "verify/verify.hpp"

#include "verify/clocks.hpp"
#include "verify/races.hpp"
#include "verify/symbolic_run.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace tutti::verify {

using schedule::Carried;
using schedule::Collective;
using schedule::Form;
using schedule::Schedule;
using schedule::Symmetry;
using schedule::Synchronised;
using schedule::Wait;
using schedule::wrap;

namespace {

bool has_output_block(const Schedule& schedule, int rank, int block) {
    return has_output(schedule.collective(), schedule.root(), rank, block,
                      schedule.blocks() == schedule.ranks());
}

bool is_reduction(Collective collective) {
    return collective == Collective::allreduce || collective == Collective::reduce_scatter;
}

std::string output_of(int rank, int block) {
    return "output block " + std::to_string(block) + " of member " + std::to_string(rank);
}

void check_collective(const Schedule& schedule, Report& report) {
    const Collective collective = schedule.collective();
    const bool rooted = collective == Collective::gather || collective == Collective::scatter;
    if (rooted && schedule.symmetry() == Symmetry::rotation && schedule.ranks() > 1) {
        report.add(Kind::bounds, "a rooted collective is not the same for all members");
    }
    const bool any_blocks = collective == Collective::barrier || collective == Collective::allreduce;
    if (!any_blocks && schedule.blocks() != schedule.ranks()) {
        report.add(Kind::bounds, std::string(to_string(collective)) + " has " +
                                     std::to_string(schedule.blocks()) + " blocks, needs one for each of " +
                                     std::to_string(schedule.ranks()) + " members");
    }
}

void check_waits(const Synchronised& plan, Report& report) {
    const Schedule& schedule = plan.schedule;
    if (plan.waits.size() != schedule.programs().size()) {
        report.add(Kind::bounds, "there must be one list of waits for each stored program");
        return;
    }
    for (std::size_t stored = 0; stored < plan.waits.size(); ++stored) {
        int round = 0;
        for (const Wait& wait : plan.waits[stored]) {
            const bool exists = wait.member >= 0 && wait.member < schedule.ranks() &&
                                wait.member != static_cast<int>(stored) && wait.point >= 0 &&
                                wait.point <= schedule.rounds();
            if (!exists || wait.before_round < round || wait.before_round > schedule.rounds()) {
                report.add(Kind::bounds, "member " + std::to_string(stored) + " waits before round " +
                                             std::to_string(wait.before_round) + " for point " +
                                             std::to_string(wait.point) + " of member " +
                                             std::to_string(wait.member) +
                                             ": out of order or no such round, point or other member");
            }
            round = wait.before_round;
        }
    }
}

void check_carried(const Synchronised& plan, Report& report) {
    const Schedule& schedule = plan.schedule;
    const std::size_t lists = plan.form == Form::carried ? schedule.programs().size() : 0;
    if (plan.carried.size() != lists) {
        report.add(Kind::bounds, "there must be one list of messages for each stored program of a carried "
                                 "schedule, and none otherwise");
        return;
    }
    for (std::size_t stored = 0; stored < lists; ++stored) {
        int before = -1;
        for (const Carried& carried : plan.carried[stored]) {
            const bool whole = carried.blocks == schedule::Blocks{0, schedule.blocks()};
            const bool one = carried.blocks.count == 1 && carried.blocks.first >= 0 &&
                             carried.blocks.first < schedule.blocks();
            if (carried.point <= before || carried.point > schedule.rounds() || !(whole || one)) {
                report.add(Kind::bounds, "point " + std::to_string(carried.point) + " of member " +
                                             std::to_string(stored) +
                                             " is out of order, does not exist, has two messages, or one "
                                             "that is neither a block nor the whole vector");
            }
            before = carried.point;
        }
    }
}

/// The terms that the collective asks for where it asks for one: a copy of a member's block.
std::optional<int> copied_from(const Schedule& schedule, int block) {
    switch (schedule.collective()) {
    case Collective::allgather:
    case Collective::gather:
        return block;
    case Collective::scatter:
        return schedule.root();
    default:
        return std::nullopt;
    }
}

void check_block(const Schedule& schedule, const SymbolicRun& run, int rank, int block, Report& report) {
    const Term held = run.output(rank, block);
    if (!held.defined()) {
        report.add(Kind::content, output_of(rank, block) + " is never written");
        return;
    }
    if (const auto member = copied_from(schedule, block)) {
        if (held != run.terms().input(*member)) {
            report.add(Kind::content, output_of(rank, block) + " holds " + run.terms().text(held) +
                                          ", should be x" + std::to_string(*member));
        }
        return;
    }
    if (const auto member = run.terms().missing(held)) {
        report.add(Kind::content,
                   output_of(rank, block) + " misses the block of member " + std::to_string(*member));
    }
    if (const auto member = run.terms().repeated(held); member && is_reduction(schedule.collective())) {
        report.add(Kind::content, output_of(rank, block) + " has the block of member " +
                                      std::to_string(*member) + " more than once");
    }
}

/// Members are compared with the next one, so under rotation member 0 with member 1: round the ring that
/// compares all.
void check_order(const Schedule& schedule, const SymbolicRun& run, Requirement requirement, Report& report) {
    std::optional<Term> reference;
    const int stored = static_cast<int>(schedule.programs().size());
    for (int rank = 0; rank < stored; ++rank) {
        const int next = wrap(rank + 1, schedule.ranks());
        for (int block = 0; block < schedule.blocks(); ++block) {
            const bool here = has_output_block(schedule, rank, block);
            const bool there = has_output_block(schedule, next, block);
            const Term mine = run.output(rank, block);
            const Term theirs = run.output(next, block);
            if (here && there && mine != theirs) {
                report.add(Kind::content, output_of(rank, block) +
                                              " is not put together as it is at member " +
                                              std::to_string(next));
            }
            if (requirement != Requirement::canonical) {
                continue;
            }
            if (here && !reference) {
                reference = mine;
            }
            if ((here && mine != *reference) || (there && reference && theirs != *reference)) {
                report.add(Kind::content,
                           output_of(here ? rank : next, block) + " is not put together as other blocks are");
            }
        }
    }
    if (reference && reference->defined() && !run.terms().in_rank_order(*reference)) {
        report.add(Kind::content, "operands are not combined in rank order");
    }
}

void check_content(const Synchronised& plan, Requirement requirement, Report& report) {
    const Schedule& schedule = plan.schedule;
    const SymbolicRun run(plan, report);
    for (int rank = 0; rank < static_cast<int>(schedule.programs().size()); ++rank) {
        for (int block = 0; block < schedule.blocks(); ++block) {
            if (has_output_block(schedule, rank, block)) {
                check_block(schedule, run, rank, block, report);
            }
        }
    }
    if (is_reduction(schedule.collective()) && requirement != Requirement::complete) {
        check_order(schedule, run, requirement, report);
    }
}

void check_barrier(const Schedule& schedule, const Clocks& clocks, Report& report) {
    for (int rank = 0; rank < static_cast<int>(schedule.programs().size()); ++rank) {
        for (int member = 0; member < schedule.ranks(); ++member) {
            if (member != rank && clocks.known_in(rank, 0, schedule.rounds(), member) < 0) {
                report.add(Kind::race, "member " + std::to_string(rank) + " may return before member " +
                                           std::to_string(member) + " has entered the barrier");
            }
        }
    }
}

} // namespace

Requirement requirement_of(const algorithm::Algorithm& algorithm) {
    if (algorithm.canonical || algorithm.needs == algorithm::OperatorNeeds::associative) {
        return Requirement::canonical;
    }
    return algorithm.needs == algorithm::OperatorNeeds::exact ? Requirement::complete
                                                              : Requirement::identical;
}

Report verify(const Synchronised& plan, Requirement requirement) {
    Report report;
    check_collective(plan.schedule, report);
    check_waits(plan, report);
    check_carried(plan, report);
    if (!report.ok()) {
        return report;
    }
    check_content(plan, requirement, report);
    const bool carried = plan.form == Form::carried;
    const auto waits = all_waits(plan);
    Clocks clocks(plan.schedule, waits, carried ? 3 : 1);
    if (!clocks.run(report)) {
        return report;
    }
    if (carried) {
        check_slots(plan, clocks, report);
    } else {
        check_races(plan, clocks, report);
    }
    if (plan.schedule.collective() == Collective::barrier) {
        check_barrier(plan.schedule, clocks, report);
    }
    return report;
}

std::string expression(const Schedule& schedule, int rank, int block) {
    if (rank < 0 || rank >= schedule.ranks() || block < 0 || block >= schedule.blocks() ||
        !has_output_block(schedule, rank, block)) {
        throw std::invalid_argument("expression: there is no " + output_of(rank, block));
    }
    const Synchronised plan{schedule, Form::separate, {}, {}};
    Report report;
    const SymbolicRun run(plan, report);
    return run.terms().text(run.output(rank, block));
}

} // namespace tutti::verify
