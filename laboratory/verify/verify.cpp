#include "verify/verify.hpp"

#include "verify/clocks.hpp"
#include "verify/symbolic_run.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tutti::verify {

using schedule::Carried;
using schedule::Protocol;
using schedule::Schedule;
using schedule::Synchronised;
using schedule::Wait;
using schedule::wrap;

namespace {

bool is_prefix(Collective collective) {
    return collective == Collective::scan || collective == Collective::exscan;
}

std::string output_of(int rank, int block) {
    return "output block " + std::to_string(block) + " of member " + std::to_string(rank);
}

void check_collective(const Schedule& schedule, Report& report) {
    const Collective collective = schedule.collective();
    const bool differs = detail::traits_of(collective).is_rooted() || is_prefix(collective);
    if (differs && schedule.symmetry().translates() && schedule.ranks() > 1) {
        report.add(ViolationKind::bounds,
                   std::string(to_string(collective)) + " is not the same for all members");
    }
    const bool per_rank = collective == Collective::reduce_scatter || collective == Collective::allgather ||
                          collective == Collective::gather || collective == Collective::scatter ||
                          collective == Collective::alltoall;
    if (per_rank && schedule.graph().empty() && schedule.blocks() != schedule.ranks()) {
        report.add(ViolationKind::bounds,
                   std::string(to_string(collective)) + " has " + std::to_string(schedule.blocks()) +
                       " blocks, needs one for each of " + std::to_string(schedule.ranks()) + " members");
    }
}

void check_waits(const Synchronised& plan, Report& report) {
    const Schedule& schedule = plan.schedule;
    if (plan.waits.size() != schedule.programs().size()) {
        report.add(ViolationKind::bounds, "there must be one list of waits for each stored program");
        return;
    }
    for (std::size_t stored = 0; stored < plan.waits.size(); ++stored) {
        int round = 0;
        for (const Wait& wait : plan.waits[stored]) {
            const bool exists = wait.member >= 0 && wait.member < schedule.ranks() &&
                                wait.member != static_cast<int>(stored) && wait.point >= 0 &&
                                wait.point <= schedule.rounds();
            if (!exists || wait.before_round < round || wait.before_round > schedule.rounds()) {
                report.add(ViolationKind::bounds,
                           "member " + std::to_string(stored) + " waits before round " +
                               std::to_string(wait.before_round) + " for point " +
                               std::to_string(wait.point) + " of member " + std::to_string(wait.member) +
                               ": out of order or no such round, point or other member");
            }
            round = wait.before_round;
        }
    }
}

void check_carried(const Synchronised& plan, Report& report) {
    const Schedule& schedule = plan.schedule;
    const std::size_t lists = plan.protocol == Protocol::eager ? schedule.programs().size() : 0;
    if (plan.eager.size() != lists) {
        report.add(ViolationKind::bounds, "there must be one list of messages for each stored program of a "
                                          "carried schedule, and none otherwise");
        return;
    }
    for (std::size_t stored = 0; stored < lists; ++stored) {
        int before = -1;
        for (const Carried& eager : plan.eager[stored]) {
            const bool is_there = static_cast<std::size_t>(eager.space) < schedule.vectors();
            const bool whole = eager.blocks == schedule::Blocks{0, schedule.blocks()};
            const bool one =
                eager.blocks.count == 1 && eager.blocks.first >= 0 && eager.blocks.first < schedule.blocks();
            if (eager.point <= before || eager.point > schedule.rounds() || !(whole || one) || !is_there) {
                report.add(ViolationKind::bounds,
                           "point " + std::to_string(eager.point) + " of member " + std::to_string(stored) +
                               " is out of order, does not exist, has two messages, or one that is neither a "
                               "block nor the whole vector of those in use");
            }
            before = eager.point;
        }
    }
}

/// The member and block of which the collective wants a copy in this output block, where it wants one.
std::optional<std::pair<int, int>> copied_from(const Schedule& schedule, int rank, int block) {
    if (!schedule.graph().empty()) {
        const schedule::Source& source =
            schedule.graph()[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)];
        return std::pair(source.member, source.block);
    }
    switch (schedule.collective()) {
    case Collective::allgather:
    case Collective::gather:
        return std::pair(block, block);
    case Collective::broadcast:
    case Collective::scatter:
        return std::pair(schedule.root(), block);
    case Collective::alltoall:
        return std::pair(block, rank);
    case Collective::shift:
        return std::pair(wrap(rank - schedule.root(), schedule.ranks()), block);
    default:
        return std::nullopt;
    }
}

void check_prefix(const Schedule& schedule, const SymbolicRun& run, int rank, int block, Term held,
                  Report& report) {
    const int count = schedule.collective() == Collective::scan ? rank + 1 : rank;
    if (held.block != block || !run.terms().in_rank_order(held, count)) {
        report.add(ViolationKind::content, output_of(rank, block) + " is not what the first " +
                                               std::to_string(count) + " members have for it, in rank order");
    }
}

void check_block(const Schedule& schedule, const SymbolicRun& run, int rank, int block, Term held,
                 Report& report) {
    if (!held.defined()) {
        report.add(ViolationKind::content,
                   output_of(rank, block) + " is never written, or with blocks that do not belong together");
        return;
    }
    if (const auto wanted = copied_from(schedule, rank, block)) {
        if (held != run.input(wanted->first, wanted->second)) {
            report.add(ViolationKind::content, output_of(rank, block) + " holds " + run.terms().text(held) +
                                                   " of block " + std::to_string(held.block) +
                                                   ", should be x" + std::to_string(wanted->first) +
                                                   " of block " + std::to_string(wanted->second));
        }
        return;
    }
    if (is_prefix(schedule.collective())) {
        return check_prefix(schedule, run, rank, block, held, report);
    }
    if (held.block != block && detail::traits_of(schedule.collective()).reduces()) {
        report.add(ViolationKind::content,
                   output_of(rank, block) + " holds block " + std::to_string(held.block));
    }
    if (const auto member = run.terms().missing(held)) {
        report.add(ViolationKind::content,
                   output_of(rank, block) + " misses the block of member " + std::to_string(*member));
    }
    if (const auto member = run.terms().repeated(held);
        member && detail::traits_of(schedule.collective()).reduces()) {
        report.add(ViolationKind::content, output_of(rank, block) + " has the block of member " +
                                               std::to_string(*member) + " more than once");
    }
}

/// How the blocks of a result are put together, in all windows of blocks that are looked at.
class OrderCheck {
public:
    OrderCheck(const Schedule& schedule, Requirement requirement, Report& report)
        : schedule_(schedule), requirement_(requirement), report_(report),
          neighbours_(schedule.symmetry().translates() ? schedule.symmetry().generators()
                                                       : std::vector<int>{1}) {}

    void run(const SymbolicRun& run, int begin, int end) {
        reference_.reset();
        for (int rank = 0; rank < static_cast<int>(schedule_.programs().size()); ++rank) {
            const SymbolicRun::Output output = run.output(rank);
            if (!is_prefix(schedule_.collective())) {
                compare_with_neighbours(run, rank, output, begin, end);
            }
            if (requirement_ >= Requirement::rank_order) {
                check_trees(run, rank, output, begin, end);
            }
        }
        if (reference_) {
            check_reference(run);
        }
    }

private:
    /// Over all generators of the symmetry this compares all members.
    void compare_with_neighbours(const SymbolicRun& run, int rank, const SymbolicRun::Output& mine, int begin,
                                 int end) {
        for (const int step : neighbours_) {
            const int next = wrap(rank + step, schedule_.ranks());
            const SymbolicRun::Output theirs = run.output(next);
            for (int block = begin; block < end; ++block) {
                if (mine[block] != theirs[block] && schedule_.has_output_block(rank, block) &&
                    schedule_.has_output_block(next, block)) {
                    report_.add(ViolationKind::content, output_of(rank, block) +
                                                            " is not put together as it is at member " +
                                                            std::to_string(next));
                }
            }
        }
    }

    void check_trees(const SymbolicRun& run, int rank, const SymbolicRun::Output& output, int begin,
                     int end) {
        for (int block = begin; block < end; ++block) {
            // Undefined blocks have been reported.
            if (schedule_.has_output_block(rank, block) && output[block].defined()) {
                check_tree(run, rank, block, output[block]);
            }
        }
    }

    void check_tree(const SymbolicRun& run, int rank, int block, Term mine) {
        // The results of a prefix operation differ from member to member.
        if (!reference_ || (is_prefix(schedule_.collective()) && rank != reference_rank_)) {
            reference_ = mine;
            reference_rank_ = rank;
        }
        if (!Terms::same_tree(mine, *reference_)) {
            report_.add(ViolationKind::content,
                        output_of(rank, block) + " is not put together as other blocks are");
        }
        const bool asked = requirement_ == Requirement::asked;
        if ((asked || requirement_ == Requirement::serial) && !run.terms().from_the_left(mine)) {
            report_.add(ViolationKind::content, output_of(rank, block) + " is not bracketed from the left");
        }
        if ((asked || requirement_ == Requirement::canonical) && !run.terms().in_tree(mine)) {
            report_.add(ViolationKind::content, output_of(rank, block) + " is not bracketed as the tree");
        }
        if (asked && !run.terms().in_one_pass(mine)) {
            report_.add(ViolationKind::content, output_of(rank, block) + " is combined of partial results");
        }
    }

    /// Trees of different windows are compared as text.
    void check_reference(const SymbolicRun& run) {
        if (is_prefix(schedule_.collective())) {
            return;
        }
        if (!run.terms().in_rank_order(*reference_, schedule_.ranks())) {
            report_.add(ViolationKind::content, "operands are not combined in rank order");
        }
        std::string text = run.terms().text(*reference_);
        if (!text_.empty() && text != text_) {
            report_.add(ViolationKind::content, "blocks are not all put together in the same way");
        }
        text_ = std::move(text);
    }

    const Schedule& schedule_;
    Requirement requirement_;
    Report& report_;
    std::vector<int> neighbours_;
    std::optional<Term> reference_;
    int reference_rank_ = 0;
    std::string text_;
};

/// Checks the blocks begin .. end - 1 of every representative's output.
void check_outputs(const Schedule& schedule, const SymbolicRun& run, int begin, int end, Report& report) {
    const bool combines_all =
        detail::traits_of(schedule.collective()).reduces() && !is_prefix(schedule.collective());
    Term right; // as it should be, and mostly what the next block holds, too
    for (int rank = 0; rank < static_cast<int>(schedule.programs().size()); ++rank) {
        const SymbolicRun::Output output = run.output(rank);
        for (int block = begin; block < end; ++block) {
            const Term held = output[block];
            const bool is_same = right.defined() && held.block == block && Terms::same_tree(held, right);
            if (is_same || !schedule.has_output_block(rank, block)) {
                continue;
            }
            const std::size_t reported = report.total();
            check_block(schedule, run, rank, block, held, report);
            right = combines_all && report.total() == reported ? held : Term{};
        }
    }
}

void check_content(const Synchronised& plan, Requirement requirement, Report& report) {
    const Schedule& schedule = plan.schedule;
    OrderCheck order(schedule, requirement, report);
    const int window = blocks_at_a_time(schedule);
    for (int begin = 0; begin < schedule.blocks(); begin += window) {
        const int end = std::min(begin + window, schedule.blocks());
        const SymbolicRun run(plan, begin, end, report);
        check_outputs(schedule, run, begin, end, report);
        if (detail::traits_of(schedule.collective()).reduces() && requirement != Requirement::complete) {
            order.run(run, begin, end);
        }
    }
}

void check_barrier(const Schedule& schedule, Clocks& clocks, Report& report) {
    for (int rank = 0; rank < static_cast<int>(schedule.programs().size()); ++rank) {
        for (int member = 0; member < schedule.ranks(); ++member) {
            if (member != rank && !clocks.knows(rank, schedule.rounds(), member, 0)) {
                report.add(ViolationKind::race, "member " + std::to_string(rank) +
                                                    " may return before member " + std::to_string(member) +
                                                    " has entered the barrier");
            }
        }
    }
}

/// The plan with one program and list of waits for all, where all are those of member 0 rotated.
std::optional<Synchronised> folded(const Synchronised& plan) {
    auto schedule = plan.protocol == Protocol::eager ? std::nullopt : schedule::folded(plan.schedule);
    if (!schedule) {
        return std::nullopt;
    }
    Synchronised one{std::move(*schedule), plan.protocol, {plan.waits.front()}, {}};
    for (int rank = 1; rank < plan.schedule.ranks(); ++rank) {
        if (one.waits_of(rank) != plan.waits[static_cast<std::size_t>(rank)]) {
            return std::nullopt;
        }
    }
    return one;
}

/// Whether nobody gets stuck and nothing is read or written too early or too late.
bool is_ordered(const Synchronised& plan, Report& report) {
    const std::size_t reported = report.total();
    const bool eager = plan.protocol == Protocol::eager;
    const auto waits = all_waits(plan);
    Clocks clocks(plan.schedule, waits, eager ? 3 : 1);
    if (!clocks.run(report)) {
        return false;
    }
    if (eager) {
        check_slots(plan, clocks, report);
    } else {
        check_races(plan, clocks, report);
    }
    if (plan.schedule.collective() == Collective::barrier) {
        check_barrier(plan.schedule, clocks, report);
    }
    return report.total() == reported;
}

} // namespace

Requirement requirement_of(const algorithm::Algorithm& algorithm, int ranks) {
    switch (algorithm.order) {
    case algorithm::Order::asked:
        return Requirement::asked;
    case algorithm::Order::serial:
        return Requirement::serial;
    case algorithm::Order::canonical:
        return Requirement::canonical;
    case algorithm::Order::rank:
        return has_brackets(algorithm, detail::Association::tree, ranks) ? Requirement::canonical
                                                                         : Requirement::rank_order;
    case algorithm::Order::same:
        return Requirement::identical;
    case algorithm::Order::none:
    case algorithm::Order::any:
        break;
    }
    return Requirement::complete;
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
    const auto one = folded(plan);
    if (Report of_one; !one || !is_ordered(*one, of_one)) {
        is_ordered(plan, report); // of one or all, and what it reports names the members
    }
    return report;
}

std::string expression(const Schedule& schedule, int rank, int block) {
    if (rank < 0 || rank >= schedule.ranks() || block < 0 || block >= schedule.blocks() ||
        !schedule.has_output_block(rank, block)) {
        throw std::invalid_argument("expression: there is no " + output_of(rank, block));
    }
    const Synchronised plan{schedule, Protocol::zero_copy, {}, {}};
    Report report;
    const SymbolicRun run(plan, 0, schedule.blocks(), report);
    return run.terms().text(run.output(rank)[block]);
}

} // namespace tutti::verify
