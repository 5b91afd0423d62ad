#include "algorithm/algorithms.hpp"
#include "graph/graphs.hpp"
#include "schedule/pattern.hpp"
#include "tests/test.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using namespace tutti::schedule;
using verify::Report;
using verify::Requirement;
using verify::ViolationKind;

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
    return {{Collective::allgather, 2, 2, Symmetry::none, std::move(programs)},
            Protocol::zero_copy,
            {{}, {}},
            {}};
}

bool only(const Report& report, ViolationKind kind) {
    for (const verify::Violation& violation : report.violations()) {
        if (violation.kind != kind) {
            return false;
        }
    }
    return !report.ok();
}

} // namespace

TEST_CASE("the expression of p = 22, member 21 (Träff 2024, section 2.1)") {
    const Pattern allgather =
        algorithm::circulant_allgather_pattern(22, graph::skips(22, graph::Skips::halving));
    const Schedule schedule = place(dual(allgather), Collective::reduce_scatter);
    CHECK(verify::expression(schedule, 21, 21) ==
          "x21 + x10 + (x15 + x4) + (x18 + x7 + (x12 + x1)) + (x19 + x8 + (x13 + x2) + (x16 + x5)) + (x20 + "
          "x9 + (x14 + x3) + (x17 + x6 + (x11 + x0)))");
    const Schedule allreduce = place(then(dual(allgather), allgather), Collective::allreduce);
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
    CHECK(only(verify::verify(plan), ViolationKind::race));
    CHECK(verify::verify(plan).violations().front().text ==
          "the read of input block 0 of member 0 by member 1 in round 0 is not ordered before the owner's "
          "return");
    plan.waits = {{{1, 1, 1}}, {{1, 0, 1}}};
    CHECK(verify::verify(plan).ok());
    // Member 0 knows that member 1 has entered, which is not enough.
    plan.waits = {{{1, 1, 0}}, {{1, 0, 1}}};
    CHECK(only(verify::verify(plan), ViolationKind::race));
}

TEST_CASE("a race: two members store to one block in the same round, whatever they wait for") {
    std::vector<Program> programs(2);
    programs[0] = {{copy(0, Space::output, 0, Space::input), copy(1, Space::scratch0, 0, Space::input)}};
    programs[1] = {{copy(1, Space::output, 1, Space::input), copy(1, Space::scratch0, 1, Space::input)}};
    const Schedule schedule(Collective::barrier, 2, 1, Symmetry::none, std::move(programs));
    const Synchronised plan{schedule, Protocol::zero_copy, {{{0, 1, 1}, {1, 1, 1}}, {{1, 0, 1}}}, {}};
    CHECK(verify::verify(plan).has(ViolationKind::race));
}

TEST_CASE("a race: reading back in the same round what one stored at a peer") {
    std::vector<Program> programs(2);
    programs[0] = {{copy(1, Space::scratch0, 0, Space::input), copy(0, Space::output, 1, Space::scratch0)}};
    programs[1] = {{copy(1, Space::output, 1, Space::input)}};
    const Schedule schedule(Collective::barrier, 2, 1, Symmetry::none, std::move(programs));
    const Report report = verify::verify({schedule, Protocol::zero_copy, {{{0, 1, 0}}, {{1, 0, 1}}}, {}});
    CHECK(report.text().find("follows that member's own write in the same round") != std::string::npos);
}

TEST_CASE("a race: the next operation may use scratch that is still read") {
    // Member 1 reads member 0's scratch in the last round; member 0 returns without knowing.
    std::vector<Program> programs(2);
    programs[0] = {{copy(0, Space::scratch0, 0, Space::input)}, {copy(0, Space::output, 0, Space::scratch0)}};
    programs[1] = {{}, {copy(1, Space::output, 0, Space::scratch0)}};
    const Schedule schedule(Collective::scatter, 2, 2, Symmetry::none, std::move(programs));
    const Synchronised plan{schedule, Protocol::zero_copy, {{}, {{1, 0, 1}}}, {}};
    CHECK(verify::verify(plan).has(ViolationKind::race));
}

TEST_CASE("a deadlock: each waits for the other to go first") {
    Synchronised plan = exchange();
    plan.waits = {{{0, 1, 1}, {1, 1, 1}}, {{0, 0, 1}, {1, 0, 1}}};
    const Report report = verify::verify(plan);
    CHECK(only(report, ViolationKind::deadlock));
    CHECK(report.total() == 2);
    CHECK(report.violations().front().text ==
          "member 0 waits before round 0 for point 1 of member 1, which is not reached");
    // One of the two waiting is fine: it goes second.
    plan.waits = {{{0, 1, 1}, {1, 1, 1}}, {{1, 0, 1}}};
    CHECK(verify::verify(plan).ok());
}

TEST_CASE("a deadlock round the ring: everybody waits for its neighbour to be further on") {
    Synchronised plan = synchronise(algorithm::flat_allgather(5), Protocol::zero_copy);
    plan.waits.front().insert(plan.waits.front().begin(), schedule::Wait{0, 1, 1});
    CHECK(only(verify::verify(plan), ViolationKind::deadlock));
}

TEST_CASE("slot reuse: a member that does not wait for everybody may write over what is still read") {
    Synchronised plan = synchronise(algorithm::flat_allgather(3), Protocol::eager);
    REQUIRE(verify::verify(plan).ok());
    std::erase_if(plan.waits.front(), [](const schedule::Wait& wait) { return wait.member == 2; });
    CHECK(verify::verify(plan).has(ViolationKind::slot_reuse));
}

TEST_CASE("a eager message must be what the reader reads, at the point it waits for") {
    const Synchronised good = synchronise(algorithm::census_allreduce(7), Protocol::eager);
    REQUIRE(verify::verify(good).ok());
    Synchronised plan = good;
    plan.eager.front().back().space = Space::input;
    CHECK(verify::verify(plan).has(ViolationKind::payload));
    plan = good;
    plan.eager.front().push_back(plan.eager.front().back());
    CHECK(only(verify::verify(plan), ViolationKind::bounds));
    plan = good;
    plan.eager.front().back().point = good.schedule.rounds() + 1;
    CHECK(only(verify::verify(plan), ViolationKind::bounds));
    const Synchronised stores{algorithm::direct_allgather(3), Protocol::eager, {{}}, {{}}};
    CHECK(verify::verify(stores).has(ViolationKind::bounds));
}

TEST_CASE("a barrier from which one may return before all have entered") {
    Synchronised plan = synchronise(algorithm::direct_barrier(4), Protocol::eager);
    CHECK(verify::verify(plan).ok());
    plan.waits.front().pop_back();
    const Report report = verify::verify(plan);
    CHECK(report.has(ViolationKind::race));
    CHECK(report.text().find("has entered the barrier") != std::string::npos);
}

TEST_CASE("bounds: waits that name what does not exist") {
    const schedule::Wait wrong[] = {{0, 2, 0},  {0, -1, 0}, {0, 0, 0}, {0, 1, 2},
                                    {0, 1, -1}, {2, 1, 0},  {-1, 1, 0}};
    for (const schedule::Wait& wait : wrong) {
        Synchronised plan = exchange();
        plan.waits.front() = {wait};
        CHECK(only(verify::verify(plan), ViolationKind::bounds));
    }
    Synchronised plan = exchange();
    plan.waits.front() = {{1, 1, 1}, {0, 1, 0}};
    CHECK(only(verify::verify(plan), ViolationKind::bounds));
    plan.waits.pop_back();
    CHECK(only(verify::verify(plan), ViolationKind::bounds));
}

TEST_CASE("bounds: vectors that are not there, and collectives that do not fit their blocks") {
    const auto alone = [](Collective collective, const Move& move) {
        const Schedule schedule(collective, 1, 1, Symmetry::rotation, {Program{{move}}});
        return verify::verify({schedule, Protocol::zero_copy, {{}}, {}});
    };
    CHECK(alone(Collective::allreduce, copy(0, Space::output, 0, Space::input)).ok());
    CHECK(alone(Collective::allreduce, copy(0, Space::input, 0, Space::input)).has(ViolationKind::bounds));
    CHECK(only(alone(Collective::allreduce, copy(0, Space::scratch0, 0, Space::input)),
               ViolationKind::content));
    CHECK(
        alone(Collective::allreduce, copy(0, Space::output, 0, Space::scratch1)).has(ViolationKind::content));

    const Schedule scatter(Collective::scatter, 2, 2, Symmetry::none,
                           {Program{{copy(0, Space::output, 0, Space::input, {0, 2})}},
                            Program{{copy(1, Space::output, 0, Space::input, {1, 1})}}});
    CHECK(only(verify::verify({scatter, Protocol::zero_copy, {{{1, 1, 1}}, {}}, {}}), ViolationKind::bounds));
    const Schedule few(Collective::allgather, 2, 1, Symmetry::rotation, {Program(1)});
    CHECK(only(verify::verify({few, Protocol::zero_copy, {{}}, {}}), ViolationKind::bounds));
    const Schedule rooted(Collective::gather, 2, 2, Symmetry::rotation, {Program(1)});
    CHECK(only(verify::verify({rooted, Protocol::zero_copy, {{}}, {}}), ViolationKind::bounds));
}

TEST_CASE("content: rank order over partial results is not the same for all, and is refused") {
    const Place own{0, Space::scratch0, block0};
    const Schedule schedule(Collective::allreduce, 3, 1, Symmetry::rotation,
                            {Program{{copy(0, Space::scratch0, 1, Space::input)},
                                     {{{0, Space::output, block0}, {every, own.space, block0}, {}, true}}}});
    CHECK(verify::verify(synchronise(schedule, Protocol::zero_copy)).has(ViolationKind::content));
    // Nor is it written out for each member: what is combined as the call asks must be the inputs.
    CHECK(verify::verify(synchronise(expanded(schedule), Protocol::zero_copy)).has(ViolationKind::content));
}

TEST_CASE("a race that all members have alike is reported of each, where programs are written out") {
    Synchronised plan =
        synchronise(algorithm::direct_scan(4, algorithm::Inclusion::inclusive), Protocol::zero_copy);
    CHECK(verify::verify(plan).ok());
    for (auto& waits : plan.waits) {
        waits.pop_back();
    }
    const Report report = verify::verify(plan);
    CHECK(only(report, ViolationKind::race));
    for (int member = 0; member < 4; ++member) {
        CHECK(report.text().find(" of member " + std::to_string(member) + " by") != std::string::npos);
    }
}

TEST_CASE("a report counts all violations and keeps the first") {
    Synchronised plan = synchronise(algorithm::flat_allgather(40), Protocol::zero_copy);
    plan.waits.front().clear();
    const Report report = verify::verify(plan);
    CHECK(report.total() == 39);
    CHECK(report.violations().size() == Report::kept_at_most);
    CHECK(report.text().ends_with("and 23 more\n"));
    CHECK(Report{}.text().empty());
}

TEST_CASE("a race: in place, a block that is copied to another block of its owner has moved") {
    // Member 1 reads block 0 of member 0's input, over which member 0 writes in the next round.
    const auto plan_with = [](int from_block) {
        std::vector<Program> programs(2);
        const Place own{0, Space::output, {0, 1}};
        programs[0] = {{}, {{own, {0, Space::input, {from_block, 1}}, {}, false}}};
        programs[1] = {{copy(1, Space::scratch0, 0, Space::input)}, {}};
        return synchronise({Collective::allreduce, 2, 2, Symmetry::none, std::move(programs)},
                           Protocol::in_place);
    };
    const Synchronised moves = plan_with(1);
    const Synchronised moves_nothing = plan_with(0);
    CHECK(moves.waits_of(0) == std::vector<schedule::Wait>{{1, 1, 1}});
    CHECK(moves_nothing.waits_of(0) == std::vector<schedule::Wait>{{2, 1, 1}});
    CHECK_FALSE(verify::verify(moves).has(ViolationKind::race));
    CHECK_FALSE(verify::verify(moves_nothing).has(ViolationKind::race));
    Synchronised late = moves;
    late.waits = moves_nothing.waits;
    CHECK(verify::verify(late).has(ViolationKind::race));
}

TEST_CASE("content: copies must come from the right member and the right block") {
    // Member 0 of an all-to-all is right in the first case; member 1 has nothing in either.
    const Place to0{0, Space::output, {0, 1}};
    const Place to1{0, Space::output, {1, 1}};
    const auto blocks = [&](int first, int second) {
        const std::vector<Move> round{{to0, {0, Space::input, {first, 1}}, {}, false},
                                      {to1, {1, Space::input, {second, 1}}, {}, false}};
        const Schedule schedule(Collective::alltoall, 2, 2, Symmetry::none, {Program{round}, Program(1)});
        return verify::verify(synchronise(schedule, Protocol::zero_copy));
    };
    CHECK(blocks(0, 0).total() == 2);
    CHECK(blocks(0, 1).total() == 3);
    CHECK(blocks(0, 1).text().find("holds x1 of block 1, should be x1 of block 0") != std::string::npos);
    CHECK(blocks(1, 1).total() == 4);
    const Schedule still(Collective::shift, 2, 1, Symmetry::none,
                         {Program{{copy(0, Space::output, 0, Space::input)}},
                          Program{{copy(1, Space::output, 1, Space::input)}}},
                         1);
    CHECK(only(verify::verify(synchronise(still, Protocol::zero_copy)), ViolationKind::content));
}

TEST_CASE("content: prefixes are those of the members up to one's own, in rank order") {
    const Place out0{0, Space::output, block0};
    const Place out1{1, Space::output, block0};
    const Place in0{0, Space::input, block0};
    const Place in1{1, Space::input, block0};
    const auto scan = [&](const Move& second) {
        const Schedule schedule(Collective::scan, 2, 1, Symmetry::none,
                                {Program{{{out0, in0, {}, false}}}, Program{{second}}});
        return verify::verify(synchronise(schedule, Protocol::zero_copy));
    };
    CHECK(scan({out1, in0, in1, true}).ok());
    CHECK(only(scan({out1, in1, in0, true}), ViolationKind::content));
    CHECK(only(scan({out1, in1, {}, false}), ViolationKind::content));
    const Schedule all(
        Collective::scan, 2, 1, Symmetry::none,
        {Program{
             {{{every, Space::output, block0}, {every, Space::input, block0}, {}, true, Prefix::exclusive}}},
         Program(1)});
    CHECK(verify::verify(synchronise(all, Protocol::zero_copy)).has(ViolationKind::content));
    const Schedule turning(Collective::scan, 2, 1, Symmetry::rotation, {Program(1)});
    CHECK(only(verify::verify({turning, Protocol::zero_copy, {{}}, {}}), ViolationKind::bounds));
}

TEST_CASE("content: from the left is more than in rank order, and as the call asks has no partial results") {
    const Place out{0, Space::output, block0};
    const auto x = [](int member) { return Place{member, Space::input, block0}; };
    const Place sum{0, Space::scratch0, block0};
    const auto reduced = [&](int ranks, const std::vector<Move>& round) {
        std::vector<Program> programs(static_cast<std::size_t>(ranks), Program(1));
        programs.front() = Program{round};
        return synchronise({Collective::reduce, ranks, 1, Symmetry::none, std::move(programs)},
                           Protocol::zero_copy);
    };
    // For three operands, from the left is as the tree.
    const Synchronised left = reduced(3, {{sum, x(0), x(1), true}, {out, sum, x(2), true}});
    const Synchronised right = reduced(3, {{sum, x(1), x(2), true}, {out, x(0), sum, true}});
    CHECK(verify::verify(left, Requirement::serial).ok());
    CHECK(verify::verify(left, Requirement::canonical).ok());
    CHECK(only(verify::verify(left, Requirement::asked), ViolationKind::content));
    CHECK(verify::verify(right, Requirement::rank_order).ok());
    CHECK(only(verify::verify(right, Requirement::serial), ViolationKind::content));
    CHECK(verify::verify(reduced(2, {{out, x(0), x(1), true}}), Requirement::asked).ok());
}

TEST_CASE("content: on a torus every member is compared with its neighbours in all dimensions") {
    // Both members of a column combine the rows in the order that is theirs.
    const std::vector<int> mesh{2, 2};
    const Symmetry torus = Symmetry::torus(mesh);
    const Pattern pattern(4, 1, 2, torus,
                          {{{0, 1, {0, 1}, Action::combine}, {1, 2, {0, 1}, Action::combine}}});
    const Synchronised plan = synchronise(place(pattern, Collective::allreduce), Protocol::zero_copy);
    CHECK(verify::verify(plan).ok());
    CHECK(only(verify::verify(plan, Requirement::identical), ViolationKind::content));
    const Synchronised all = synchronise(expanded(plan.schedule), Protocol::zero_copy);
    CHECK(only(verify::verify(all, Requirement::identical), ViolationKind::content));
}
