#include "algorithm/algorithms.hpp"
#include "graph/circulant.hpp"
#include "schedule/place.hpp"
#include "verify/verify.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>
#include <vector>

using namespace tutti;
using namespace tutti::schedule;
using verify::Kind;
using verify::Report;
using verify::Requirement;

namespace {

constexpr Blocks block0{0, 1};

Move copy(int to, Space to_space, int from, Space from_space, Blocks blocks = block0) {
    return {{to, to_space, blocks}, {from, from_space, blocks}, {}, false};
}

/// Two members exchange their only blocks: an allgather without waits.
Synchronised exchange() {
    std::vector<Program> programs(2);
    programs[0] = {
        {copy(0, Space::output, 0, Space::input, {0, 1}), copy(0, Space::output, 1, Space::input, {1, 1})}};
    programs[1] = {
        {copy(1, Space::output, 1, Space::input, {1, 1}), copy(1, Space::output, 0, Space::input, {0, 1})}};
    return {{Collective::allgather, 2, 2, Symmetry::none, std::move(programs)}, Form::separate, {{}, {}}, {}};
}

bool only(const Report& report, Kind kind) {
    for (const verify::Violation& violation : report.violations()) {
        if (violation.kind != kind) {
            return false;
        }
    }
    return !report.ok();
}

} // namespace

TEST_CASE("the expression of p = 22, member 21 (Träff 2024, section 2.1)") {
    const Schedule schedule =
        algorithm::circulant_reduce_scatter(22, graph::skips(22, graph::Skips::halving));
    CHECK(verify::expression(schedule, 21, 21) == "x21 + x10 + "
                                                  "(x15 + x4) + "
                                                  "(x18 + x7 + (x12 + x1)) + "
                                                  "(x19 + x8 + (x13 + x2) + (x16 + x5)) + "
                                                  "(x20 + x9 + (x14 + x3) + (x17 + x6 + (x11 + x0)))");
    const Schedule allreduce = algorithm::circulant_allreduce(22, graph::skips(22, graph::Skips::halving));
    CHECK(verify::expression(allreduce, 4, 21) == verify::expression(schedule, 21, 21));
    CHECK(verify::expression(expanded(schedule), 21, 21) == verify::expression(schedule, 21, 21));
}

TEST_CASE("the expression of rank order, of copies, and of what there is not") {
    CHECK(verify::expression(algorithm::direct_allreduce(4), 2, 3) == "x0 + x1 + x2 + x3");
    CHECK(verify::expression(algorithm::direct_allgather(4), 2, 3) == "x3");
    const Schedule schedule = algorithm::direct_reduce_scatter(4);
    CHECK(verify::expression(schedule, 1, 1) == "x0 + x1 + x2 + x3");
    CHECK_THROWS_AS(verify::expression(schedule, 1, 2), std::invalid_argument);
    CHECK_THROWS_AS(verify::expression(schedule, 4, 0), std::invalid_argument);
    CHECK_THROWS_AS(verify::expression(schedule, 0, -1), std::invalid_argument);
}

TEST_CASE("a race: the owner returns while its input is still read") {
    Synchronised plan = exchange();
    CHECK(only(verify::verify(plan), Kind::race));
    CHECK(verify::verify(plan).violations().front().text ==
          "the read of input block 0 of member 0 by member 1 in round 0 is not ordered before the owner's "
          "return");
    plan.waits = {{{1, 1, 1}}, {{1, 0, 1}}};
    CHECK(verify::verify(plan).ok());
    // Member 0 knows that member 1 has entered, which is not enough.
    plan.waits = {{{1, 1, 0}}, {{1, 0, 1}}};
    CHECK(only(verify::verify(plan), Kind::race));
}

TEST_CASE("a race: two members store to one block in the same round, whatever they wait for") {
    std::vector<Program> programs(2);
    programs[0] = {{copy(0, Space::output, 0, Space::input), copy(1, Space::scratch0, 0, Space::input)}};
    programs[1] = {{copy(1, Space::output, 1, Space::input), copy(1, Space::scratch0, 1, Space::input)}};
    const Schedule schedule(Collective::barrier, 2, 1, Symmetry::none, std::move(programs));
    const Synchronised plan{schedule, Form::separate, {{{0, 1, 1}, {1, 1, 1}}, {{1, 0, 1}}}, {}};
    CHECK(verify::verify(plan).has(Kind::race));
}

TEST_CASE("a race: reading back in the same round what one stored at a peer") {
    std::vector<Program> programs(2);
    programs[0] = {{copy(1, Space::scratch0, 0, Space::input), copy(0, Space::output, 1, Space::scratch0)}};
    programs[1] = {{copy(1, Space::output, 1, Space::input)}};
    const Schedule schedule(Collective::barrier, 2, 1, Symmetry::none, std::move(programs));
    const Report report = verify::verify({schedule, Form::separate, {{{0, 1, 0}}, {{1, 0, 1}}}, {}});
    CHECK(report.text().find("follows that member's own write in the same round") != std::string::npos);
}

TEST_CASE("a race: the next operation may use scratch that is still read") {
    // Member 1 reads member 0's scratch in the last round; member 0 returns without knowing.
    std::vector<Program> programs(2);
    programs[0] = {{copy(0, Space::scratch0, 0, Space::input)}, {copy(0, Space::output, 0, Space::scratch0)}};
    programs[1] = {{}, {copy(1, Space::output, 0, Space::scratch0)}};
    const Schedule schedule(Collective::scatter, 2, 2, Symmetry::none, std::move(programs));
    const Synchronised plan{schedule, Form::separate, {{}, {{1, 0, 1}}}, {}};
    CHECK(verify::verify(plan).has(Kind::race));
}

TEST_CASE("a deadlock: each waits for the other to go first") {
    Synchronised plan = exchange();
    plan.waits = {{{0, 1, 1}, {1, 1, 1}}, {{0, 0, 1}, {1, 0, 1}}};
    const Report report = verify::verify(plan);
    CHECK(only(report, Kind::deadlock));
    CHECK(report.total() == 2);
    CHECK(report.violations().front().text ==
          "member 0 waits before round 0 for point 1 of member 1, which is not reached");
    // One of the two waiting is fine: it goes second.
    plan.waits = {{{0, 1, 1}, {1, 1, 1}}, {{1, 0, 1}}};
    CHECK(verify::verify(plan).ok());
}

TEST_CASE("a deadlock round the ring: everybody waits for its neighbour to be further on") {
    Synchronised plan = synchronise(algorithm::flat_allgather(5), Form::separate);
    plan.waits.front().insert(plan.waits.front().begin(), Wait{0, 1, 1});
    CHECK(only(verify::verify(plan), Kind::deadlock));
}

TEST_CASE("slot reuse: nothing tells the leaves of a carried gather that the root has read") {
    const Pattern pattern = restrict_to_root(
        algorithm::circulant_allgather_pattern(3, graph::skips(3, graph::Skips::fully_connected)), 0);
    const Synchronised plan = synchronise(place(pattern, Collective::gather, 0), Form::carried);
    CHECK(only(verify::verify(plan), Kind::slot_reuse));
    CHECK(verify::verify(synchronise(plan.schedule, Form::separate)).ok());
}

TEST_CASE("a carried message must be what the reader reads, at the point it waits for") {
    const Synchronised good = synchronise(algorithm::census_allreduce(7), Form::carried);
    REQUIRE(verify::verify(good).ok());
    Synchronised plan = good;
    plan.carried.front().back().space = Space::input;
    CHECK(verify::verify(plan).has(Kind::payload));
    plan = good;
    plan.carried.front().push_back(plan.carried.front().back());
    CHECK(only(verify::verify(plan), Kind::bounds));
    plan = good;
    plan.carried.front().back().point = good.schedule.rounds() + 1;
    CHECK(only(verify::verify(plan), Kind::bounds));
    const Synchronised stores{algorithm::direct_allgather(3), Form::carried, {{}}, {{}}};
    CHECK(verify::verify(stores).has(Kind::bounds));
}

TEST_CASE("a barrier from which one may return before all have entered") {
    Synchronised plan = synchronise(algorithm::direct_barrier(4), Form::carried);
    CHECK(verify::verify(plan).ok());
    plan.waits.front().pop_back();
    const Report report = verify::verify(plan);
    CHECK(report.has(Kind::race));
    CHECK(report.text().find("has entered the barrier") != std::string::npos);
}

TEST_CASE("bounds: waits that name what does not exist") {
    const Wait wrong[] = {{0, 2, 0}, {0, -1, 0}, {0, 0, 0}, {0, 1, 2}, {0, 1, -1}, {2, 1, 0}, {-1, 1, 0}};
    for (const Wait& wait : wrong) {
        Synchronised plan = exchange();
        plan.waits.front() = {wait};
        CHECK(only(verify::verify(plan), Kind::bounds));
    }
    Synchronised plan = exchange();
    plan.waits.front() = {{1, 1, 1}, {0, 1, 0}};
    CHECK(only(verify::verify(plan), Kind::bounds));
    plan.waits.pop_back();
    CHECK(only(verify::verify(plan), Kind::bounds));
}

TEST_CASE("bounds: vectors that are not there, and collectives that do not fit their blocks") {
    const auto alone = [](Collective collective, const Move& move) {
        const Schedule schedule(collective, 1, 1, Symmetry::rotation, {Program{Round{move}}});
        return verify::verify({schedule, Form::separate, {{}}, {}});
    };
    CHECK(alone(Collective::allreduce, copy(0, Space::output, 0, Space::input)).ok());
    CHECK(alone(Collective::allreduce, copy(0, Space::input, 0, Space::input)).has(Kind::bounds));
    CHECK(only(alone(Collective::allreduce, copy(0, Space::scratch0, 0, Space::input)), Kind::content));
    CHECK(alone(Collective::allreduce, copy(0, Space::output, 0, Space::scratch1)).has(Kind::content));

    const Schedule scatter(Collective::scatter, 2, 2, Symmetry::none,
                           {Program{{copy(0, Space::output, 0, Space::input, {0, 2})}},
                            Program{{copy(1, Space::output, 0, Space::input, {1, 1})}}});
    CHECK(only(verify::verify({scatter, Form::separate, {{{1, 1, 1}}, {}}, {}}), Kind::bounds));
    const Schedule few(Collective::allgather, 2, 1, Symmetry::rotation, {Program(1)});
    CHECK(only(verify::verify({few, Form::separate, {{}}, {}}), Kind::bounds));
    const Schedule rooted(Collective::gather, 2, 2, Symmetry::rotation, {Program(1)});
    CHECK(only(verify::verify({rooted, Form::separate, {{}}, {}}), Kind::bounds));
}

TEST_CASE("content: rank order over partial results is not the same for all, and is refused under rotation") {
    const Place own{0, Space::scratch0, block0};
    const Schedule schedule(Collective::allreduce, 3, 1, Symmetry::rotation,
                            {Program{{copy(0, Space::scratch0, 1, Space::input)},
                                     {{{0, Space::output, block0}, {every, own.space, block0}, {}, true}}}});
    CHECK(verify::verify(synchronise(schedule, Form::separate)).has(Kind::content));
    // Written out for each member it is proved to be complete, and not to be in rank order.
    const Synchronised all = synchronise(expanded(schedule), Form::separate);
    CHECK(verify::verify(all, Requirement::identical).ok());
    CHECK(only(verify::verify(all, Requirement::canonical), Kind::content));
}

TEST_CASE("a report counts all violations and keeps the first") {
    Synchronised plan = synchronise(algorithm::flat_allgather(40), Form::separate);
    plan.waits.front().clear();
    const Report report = verify::verify(plan);
    CHECK(report.total() == 39);
    CHECK(report.violations().size() == Report::kept_at_most);
    CHECK(report.text().ends_with("and 23 more\n"));
    CHECK(Report{}.text().empty());
}
