#include "algorithm/registry.hpp"
#include "laboratory/tests/mutants.hpp"
#include "laboratory/tests/simulation.hpp"
#include "schedule/recorder.hpp"
#include "tests/test.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using algorithm::Algorithm;
using schedule::Protocol;
using schedule::Schedule;
using schedule::Synchronised;
using test::Fault;
using test::Mutant;
using test::reduced;
using verify::Requirement;

namespace {

constexpr Protocol protocols[] = {Protocol::zero_copy, Protocol::in_place, Protocol::eager};
constexpr std::uint32_t seeds = 4;

using RankList = std::vector<int>;

/// Whether the change is one for which a schedule can still be right, so that only running it tells. All
/// others must be reported whatever the schedule.
bool may_be_harmless(const Synchronised& plan, const Mutant& mutant, Requirement requirement) {
    if (mutant.moved_nothing) {
        return true;
    }
    switch (mutant.fault) {
    case Fault::wait_weakened:
        // Some of a barrier's tokens arrive twice, unless p is a power of two.
        return plan.schedule.collective() == Collective::barrier;
    case Fault::wait_dropped:
    case Fault::blocks_shortened:
    case Fault::combined_twice:
    case Fault::message_changed:
    case Fault::prefix_changed:
        return false;
    case Fault::move_dropped:
        return false;
    case Fault::blocks_shifted:
        // The members of `direct` may as well swap their blocks.
        return plan.schedule.rounds() == 1;
    case Fault::operands_swapped:
        return requirement < Requirement::rank_order;
    case Fault::peer_shifted:
    case Fault::blocks_lengthened:
    case Fault::space_changed:
    case Fault::blocks_misplaced:
        return true;
    }
    return false;
}

/// Calls `use` with every form of every row for so many ranks, with a root that is neither first nor last
/// where there is one.
void for_each_plan(const std::vector<int>& ranks,
                   const std::function<void(const Algorithm&, const Synchronised&)>& use) {
    for (const Algorithm& row : algorithm::registry()) {
        for (const Protocol protocol : protocols) {
            for (const int count : ranks) {
                if (takes(row, protocol) && takes(row, count)) {
                    CAPTURE(row.collective);
                    CAPTURE(row.name);
                    CAPTURE(protocol);
                    CAPTURE(count);
                    const int root = has_root(row) ? count / 2 : 0;
                    use(row, schedule::synchronise(row.make(count, root), protocol));
                }
            }
        }
    }
}

struct Tally {
    std::array<long, test::fault_count> injected{};
    std::array<long, test::fault_count> caught{};
    std::map<Collective, long> by_collective;

    void show() const {
        for (std::size_t fault = 0; fault < test::fault_count; ++fault) {
            MESSAGE(to_string(static_cast<Fault>(fault))
                    << ": " << caught[fault] << " of " << injected[fault]);
        }
    }
};

/// Every mutant must be reported, or be of a kind that can be harmless and give right results in every
/// interleaving tried.
void check_mutants(const Synchronised& plan, Requirement requirement, Tally& tally) {
    REQUIRE(verify::verify(plan, requirement).ok());
    test::for_each_mutant(plan, [&](const Mutant& mutant) {
        const auto fault = static_cast<std::size_t>(mutant.fault);
        ++tally.injected[fault];
        ++tally.by_collective[plan.schedule.collective()];
        if (!verify::verify(mutant.plan, requirement).ok()) {
            ++tally.caught[fault];
            return;
        }
        CAPTURE(to_string(mutant.fault));
        CAPTURE(mutant.where);
        CHECK(may_be_harmless(plan, mutant, requirement));
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
            CAPTURE(seed);
            REQUIRE(test::simulate(mutant.plan, requirement, seed) == "");
        }
    });
}

/// Allreduce in which every member combines all inputs itself, one after the other.
Schedule chain(int ranks) {
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        const schedule::Place out{rank, schedule::Space::output, {0, 1}};
        schedule::Recorder recorder;
        recorder.round().reduce(out, {0, schedule::Space::input, {0, 1}},
                                {1, schedule::Space::input, {0, 1}});
        for (int member = 2; member < ranks; ++member) {
            recorder.reduce(out, out, {member, schedule::Space::input, {0, 1}});
        }
        programs.push_back(recorder.take());
    }
    return {Collective::allreduce, ranks, 1, schedule::Symmetry::none, std::move(programs)};
}

/// Recursive doubling on 2^k members, the lower half's sum on the left: canonical, not associated from the
/// left.
Schedule doubling(int ranks) {
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        schedule::Recorder recorder;
        schedule::Space from = schedule::Space::input;
        for (int bit = 1; bit < ranks; bit *= 2) {
            const bool last = 2 * bit == ranks;
            const schedule::Space to = last                                ? schedule::Space::output
                                       : from == schedule::Space::scratch0 ? schedule::Space::scratch1
                                                                           : schedule::Space::scratch0;
            const int peer = rank ^ bit;
            recorder.round().reduce({rank, to, {0, 1}}, {std::min(rank, peer), from, {0, 1}},
                                    {std::max(rank, peer), from, {0, 1}});
            from = to;
        }
        programs.push_back(recorder.take());
    }
    return {Collective::allreduce, ranks, 1, schedule::Symmetry::none, std::move(programs)};
}

} // namespace

TEST_CASE("injected faults are reported: a fault in all members alike") {
    Tally tally;
    for_each_plan(reduced ? RankList{3, 8} : RankList{2, 3, 4, 5, 6, 7, 8, 11, 12},
                  [&](const Algorithm& row, const Synchronised& plan) {
                      if (plan.schedule.symmetry().translates()) {
                          check_mutants(plan, verify::requirement_of(row, plan.schedule.ranks()), tally);
                      }
                  });
    tally.show();
}

TEST_CASE("injected faults are reported: a fault in one member's program") {
    Tally tally;
    for_each_plan(reduced ? RankList{2, 4} : RankList{2, 3, 4, 5, 6},
                  [&](const Algorithm& row, const Synchronised& plan) {
                      check_mutants(schedule::synchronise(schedule::expanded(plan.schedule), plan.protocol),
                                    verify::requirement_of(row, plan.schedule.ranks()), tally);
                  });
    tally.show();
    for (int fault = 0; fault < test::fault_count; ++fault) {
        CAPTURE(to_string(static_cast<Fault>(fault)));
        CHECK(tally.injected[static_cast<std::size_t>(fault)] > 0);
    }
    // At least 200 in every collective, but for the barrier, which has few moves.
    for (const auto& [collective, injected] : tally.by_collective) {
        CAPTURE(collective);
        CHECK(injected >= (reduced ? 20 : collective == Collective::barrier ? 100 : 200));
    }
    CHECK(tally.by_collective.size() == detail::collective_count);
}

TEST_CASE("no wait is asked for in vain: without it some interleaving goes wrong") {
    long needed = 0;
    for_each_plan(
        reduced ? RankList{2, 3} : RankList{2, 3, 4, 5}, [&](const Algorithm& row, const Synchronised& plan) {
            const auto requirement = verify::requirement_of(row, plan.schedule.ranks());
            test::for_each_mutant(plan, [&](const Mutant& mutant) {
                if (mutant.fault != Fault::wait_dropped || verify::verify(mutant.plan, requirement).ok()) {
                    return;
                }
                ++needed;
                CAPTURE(mutant.where);
                std::string wrong;
                for (std::uint32_t seed = 0; seed < 400 && wrong.empty(); ++seed) {
                    wrong = test::simulate(mutant.plan, requirement, seed);
                }
                REQUIRE_FALSE(wrong.empty());
            });
        });
    CHECK(needed > (reduced ? 100 : 1500));
}

TEST_CASE("a wrong operand order is reported where the order is promised") {
    Tally tally;
    for (const Protocol protocol : {Protocol::zero_copy, Protocol::eager}) {
        for (int ranks = 2; ranks <= 5; ++ranks) {
            check_mutants(schedule::synchronise(chain(ranks), protocol), Requirement::rank_order, tally);
        }
    }
    for (const int ranks : {4, 8}) {
        check_mutants(schedule::synchronise(doubling(ranks), Protocol::zero_copy), Requirement::rank_order,
                      tally);
        check_mutants(schedule::synchronise(doubling(ranks), Protocol::in_place), Requirement::rank_order,
                      tally);
    }
    const auto swapped = static_cast<std::size_t>(Fault::operands_swapped);
    CHECK(tally.injected[swapped] >= 60);
    CHECK(tally.caught[swapped] == tally.injected[swapped]);
}

TEST_CASE("one member that combines in another order breaks the agreement of results") {
    long swapped = 0;
    const Synchronised plan = schedule::synchronise(doubling(8), Protocol::zero_copy);
    CHECK(verify::verify(plan, Requirement::identical).ok());
    test::for_each_mutant(plan, [&](const Mutant& mutant) {
        if (mutant.fault == Fault::operands_swapped) {
            ++swapped;
            CHECK(verify::verify(mutant.plan, Requirement::complete).ok());
            CHECK(verify::verify(mutant.plan, Requirement::identical).has(verify::ViolationKind::content));
        }
    });
    CHECK(swapped == 24);
}

TEST_CASE("no wait is redundant") {
    RankList ranks(reduced ? 8 : 16);
    std::iota(ranks.begin(), ranks.end(), 1);
    for_each_plan(ranks, [](const Algorithm& row, const Synchronised& plan) {
        const auto requirement = verify::requirement_of(row, plan.schedule.ranks());
        REQUIRE(verify::verify(plan, requirement).ok());
        test::for_each_mutant(plan, [&](const Mutant& mutant) {
            CAPTURE(mutant.where);
            REQUIRE((mutant.fault != Fault::wait_dropped || !verify::verify(mutant.plan, requirement).ok()));
        });
    });
}
