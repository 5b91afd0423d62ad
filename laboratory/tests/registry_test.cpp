#include "algorithm/registry.hpp"
#include "cost/count.hpp"
#include "tests/test.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using algorithm::Algorithm;
using algorithm::Bound;
using schedule::Protocol;
using schedule::Schedule;

namespace {

#if defined(TUTTI_REDUCED_TESTS)
constexpr int most_ranks = 16;
constexpr int most_symmetric_ranks = 80;
#else
constexpr int most_ranks = 64;
constexpr int most_symmetric_ranks = 256;
#endif

constexpr Protocol protocols[] = {Protocol::zero_copy, Protocol::in_place, Protocol::eager};

/// Every root or distance where there are few, else the ends, the middle and one that changes with p.
std::vector<int> roots(const Algorithm& row, int ranks) {
    if (!has_root(row)) {
        return {0};
    }
    std::set<int> some{0, 1, ranks / 2, ranks - 1, ranks * 5 % 17 % ranks};
    for (int root = 0; ranks <= 16 && root < ranks; ++root) {
        some.insert(root);
    }
    return {some.begin(), some.lower_bound(ranks)};
}

/// Calls `use` with every schedule that the registry makes for 1 .. most members.
void for_each_schedule(int most, const std::function<void(const Algorithm&, const Schedule&)>& use) {
    for (const Algorithm& row : algorithm::registry()) {
        for (int ranks = 1; ranks <= most; ++ranks) {
            if (!takes(row, ranks)) {
                continue;
            }
            for (const int root : roots(row, ranks)) {
                INFO(to_string(row.collective), " ", row.name, ", ", ranks, " ranks, root ", root);
                use(row, row.make(ranks, root));
            }
        }
    }
}

/// The same with every form that the row takes.
void for_each_plan(int most,
                   const std::function<void(const Algorithm&, const schedule::Synchronised&)>& use) {
    for_each_schedule(most, [&](const Algorithm& row, const Schedule& made) {
        for (const Protocol protocol : protocols) {
            if (takes(row, protocol)) {
                CAPTURE(protocol);
                use(row, schedule::synchronise(made, protocol));
            }
        }
    });
}

long sum_of(const std::vector<long>& list) {
    return std::accumulate(list.begin(), list.end(), 0L);
}

void check_counts(const Algorithm& row, const Schedule& made) {
    const cost::Tally tally = cost::tally(made);
    const algorithm::CostTerms counted = tally.most();
    const algorithm::CostTerms proved = row.cost(made.ranks(), made.root());
    const auto within = [&](bool bounded, long found, long closed_form) {
        REQUIRE(found <= closed_form);
        REQUIRE((bounded || found == closed_form));
    };
    within(row.bound >= Bound::all, counted.rounds, proved.rounds);
    within(row.bound >= Bound::volume, counted.blocks, proved.blocks);
    within(row.bound >= Bound::reductions, counted.reductions, proved.reductions);
    REQUIRE(sum_of(tally.sent) == sum_of(tally.received));
    REQUIRE(made.rounds() >= counted.rounds);
}

} // namespace

TEST_CASE("the registry has rows of every collective, each under a name of its own") {
    std::set<Collective> collectives;
    std::set<std::pair<Collective, std::string_view>> names;
    for (const Algorithm& row : algorithm::registry()) {
        collectives.insert(row.collective);
        CHECK(names.emplace(row.collective, row.name).second);
        CHECK(algorithm::find(row.collective, row.name) == &row);
        CHECK((row.order != algorithm::Order::none) == detail::traits_of(row.collective).reduces());
        CHECK(has_root(row) == detail::traits_of(row.collective).takes_number());
        CHECK_FALSE(row.source.empty());
        CHECK(std::ranges::any_of(protocols, [&](Protocol protocol) { return takes(row, protocol); }));
    }
    CHECK(collectives.size() == detail::collective_count);
    CHECK(names.size() >= 80);
}

TEST_CASE("every algorithm keeps its promises in every form for p = 1..64, or 16 if reduced") {
    long plans = 0;
    for_each_plan(most_ranks, [&](const Algorithm& row, const schedule::Synchronised& plan) {
        ++plans;
        const auto report = verify::verify(plan, verify::requirement_of(row, plan.schedule.ranks()));
        REQUIRE_MESSAGE(report.ok(), report.text());
    });
    CHECK(plans > 150 * most_ranks);
}

TEST_CASE("no wait is redundant") {
    for_each_plan(test::reduced ? 6 : 16, [](const Algorithm& row, const schedule::Synchronised& plan) {
        const int ranks = plan.schedule.ranks();
        if (has_root(row) && plan.schedule.root() != ranks / 2) {
            return;
        }
        for (std::size_t program = 0; program < plan.waits.size(); ++program) {
            for (std::size_t wait = 0; wait < plan.waits[program].size(); ++wait) {
                schedule::Synchronised lacking = plan;
                auto& waits = lacking.waits[program];
                waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(wait));
                REQUIRE_FALSE(verify::verify(lacking, verify::requirement_of(row, ranks)).ok());
            }
        }
    });
}

TEST_CASE("rounds, blocks and reductions are those of the closed forms for p = 1..64, or 16 if reduced") {
    for_each_schedule(most_ranks, check_counts);
}

TEST_CASE(
    "rows for which one program stands for all keep promises and counts up to p = 256, all rows at some p") {
    for (const Algorithm& row : algorithm::registry()) {
        const bool may_be_symmetric = row.make(16, 0).symmetry().translates();
        for (int ranks = 65; ranks <= most_symmetric_ranks; ++ranks) {
            const bool some = ranks == 97 || ranks == 120 || ranks == 128;
            if (!takes(row, ranks) || !(may_be_symmetric || some)) {
                continue;
            }
            INFO(to_string(row.collective), " ", row.name, ", ", ranks, " ranks");
            const Schedule made = row.make(ranks, has_root(row) ? ranks / 3 : 0);
            if (!made.symmetry().translates() && !some) {
                continue;
            }
            check_counts(row, made);
            REQUIRE(cost::tally(made).most_scratch() <= row.scratch(ranks, made.root()));
            for (const Protocol protocol : protocols) {
                if (takes(row, protocol)) {
                    CAPTURE(protocol);
                    const auto report = verify::verify(schedule::synchronise(made, protocol),
                                                       verify::requirement_of(row, made.ranks()));
                    REQUIRE_MESSAGE(report.ok(), report.text());
                }
            }
        }
    }
}

TEST_CASE("no member of any row needs more scratch than the row says, and some need all of it") {
    std::set<std::pair<Collective, std::string_view>> idle;
    std::set<std::pair<Collective, std::string_view>> reached;
    for_each_schedule(most_ranks, [&](const Algorithm& row, const Schedule& made) {
        const long most = cost::tally(made).most_scratch();
        REQUIRE(most == cost::tally(schedule::expanded(made)).most_scratch());
        const long said = row.scratch(made.ranks(), made.root());
        REQUIRE(most <= said);
        if (said > 0) {
            (most == said ? reached : idle).emplace(row.collective, row.name);
        }
    });
    for (const auto& row : idle) {
        CHECK_MESSAGE(reached.contains(row), to_string(row.first), " ", row.second);
    }
}

TEST_CASE("programs written out for every member verify and count the same for p = 1..24, or 16 if reduced") {
    long symmetric = 0;
    for_each_plan(std::min(24, most_ranks), [&](const Algorithm& row, const schedule::Synchronised& plan) {
        const Schedule& made = plan.schedule;
        if (!made.symmetry().translates()) {
            return;
        }
        ++symmetric;
        const Schedule all = schedule::expanded(made);
        const auto requirement = verify::requirement_of(row, plan.schedule.ranks());
        const auto report = verify::verify(schedule::synchronise(all, plan.protocol), requirement);
        REQUIRE_MESSAGE(report.ok(), report.text());

        // The waits derived for the representative are everybody's.
        schedule::Synchronised written_out{all, plan.protocol, {}, {}};
        for (int rank = 0; rank < made.ranks(); ++rank) {
            written_out.waits.push_back(plan.waits_of(rank));
            if (plan.protocol == Protocol::eager) {
                written_out.eager.push_back(plan.eager.front());
                for (schedule::Carried& eager : written_out.eager.back()) {
                    const bool whole = eager.blocks.count == all.blocks();
                    eager.blocks = whole ? eager.blocks : made.translation(rank).range(eager.blocks);
                }
            }
        }
        const auto second = verify::verify(written_out, requirement);
        REQUIRE_MESSAGE(second.ok(), second.text());

        const cost::Tally one = cost::tally(made);
        const cost::Tally each = cost::tally(all);
        REQUIRE(each.most() == one.most());
        for (std::size_t rank = 0; rank < each.received.size(); ++rank) {
            REQUIRE(each.received[rank] == one.received.front());
            REQUIRE(each.sent[rank] == one.sent.front());
            REQUIRE(each.reductions[rank] == one.reductions.front());
        }
    });
    CHECK(symmetric > 1000);
}

TEST_CASE("a row says whether members reach into the vectors of everybody, as messages cannot") {
    for (const Algorithm& row : algorithm::registry()) {
        const schedule::Schedule schedule = row.make(8, has_root(row) ? 1 : 0);
        bool reaches_everybody = false;
        for (int member = 0; member < schedule.ranks(); ++member) {
            const schedule::Program program = schedule.program(member);
            for (const schedule::Move& move : program.moves()) {
                reaches_everybody =
                    reaches_everybody || move.to.member != member || move.left.member == schedule::every;
            }
        }
        INFO(to_string(row.collective), " ", row.name);
        CHECK((!reaches_everybody || row.reach == algorithm::Reach::everybody));
    }
}

TEST_CASE("a promise that a row does not make is not proved") {
    const Algorithm& census = *algorithm::find(Collective::allreduce, "census");
    const Algorithm& circulant = *algorithm::find(Collective::allreduce, "circulant");
    const Algorithm& butterfly = *algorithm::find(Collective::allreduce, "butterfly-overlapping");
    CHECK(verify::requirement_of(census, 6) == verify::Requirement::complete);
    CHECK(verify::requirement_of(circulant, 6) == verify::Requirement::identical);
    CHECK(verify::requirement_of(butterfly, 6) == verify::Requirement::rank_order);
    CHECK(verify::requirement_of(butterfly, 8) == verify::Requirement::canonical);
    for (int ranks = 3; ranks <= 40; ++ranks) {
        const auto refuted = [&](const Algorithm& row, verify::Requirement requirement) {
            const auto plan = schedule::synchronise(row.make(ranks, 0), Protocol::zero_copy);
            return verify::verify(plan, requirement).has(verify::ViolationKind::content);
        };
        CHECK(refuted(census, verify::Requirement::identical));
        CHECK(refuted(circulant, verify::Requirement::rank_order));
        CHECK(refuted(butterfly, verify::Requirement::serial));
    }
}
