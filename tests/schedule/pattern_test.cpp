#include "../test.hpp"
#include "algorithm/algorithms.hpp"
#include "algorithm/registry.hpp"
#include "graph/graphs.hpp"
#include "schedule/pattern.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using namespace tutti::schedule;

namespace {

Pattern allgather(int ranks) {
    return algorithm::circulant_allgather_pattern(ranks, graph::skips(ranks, graph::Skips::halving));
}

void check_pulled(const Schedule& schedule, verify::Requirement requirement) {
    for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place}) {
        const auto report = verify::verify(synchronise(schedule, protocol), requirement);
        CHECK_MESSAGE(report.ok(), report.text());
    }
}

} // namespace

TEST_CASE("the dual of the allgather receives along the same skips, largest first (p = 22)") {
    const Pattern reduce_scatter = dual(allgather(22));
    const std::vector<Transfer> expected{{0, 11, {0, 11}, Action::combine},
                                         {1, 16, {0, 5}, Action::combine},
                                         {2, 19, {0, 3}, Action::combine},
                                         {3, 20, {0, 1}, Action::combine},
                                         {4, 21, {0, 1}, Action::combine}};
    CHECK(reduce_scatter.received().front() == expected);
}

TEST_CASE("patterns refuse what does not exist") {
    using Lists = std::vector<std::vector<Transfer>>;
    const auto make = [](const Transfer& transfer) {
        return Pattern(4, 4, 2, Symmetry::rotation, Lists{{transfer}});
    };
    CHECK_NOTHROW(make({1, 3, {3, 4}, Action::copy}));
    CHECK_THROWS_AS(make({2, 3, {0, 1}, Action::copy}), std::invalid_argument);
    CHECK_THROWS_AS(make({-1, 3, {0, 1}, Action::copy}), std::invalid_argument);
    CHECK_THROWS_AS(make({0, 4, {0, 1}, Action::copy}), std::invalid_argument);
    CHECK_THROWS_AS(make({0, 1, {4, 1}, Action::copy}), std::invalid_argument);
    CHECK_THROWS_AS(make({0, 1, {0, 5}, Action::copy}), std::invalid_argument);
    const Lists out_of_order{{{1, 1, {0, 1}, Action::copy}, {0, 1, {0, 1}, Action::copy}}};
    CHECK_THROWS_AS(Pattern(4, 4, 2, Symmetry::rotation, out_of_order), std::invalid_argument);
    CHECK_THROWS_AS(Pattern(4, 4, 2, Symmetry::none, Lists(3)), std::invalid_argument);
    CHECK_THROWS_AS(Pattern(0, 1, 0, Symmetry::rotation, Lists(1)), std::invalid_argument);
}

TEST_CASE("derivations refuse what they cannot derive from") {
    const Pattern gather = allgather(8);
    CHECK_THROWS_AS(reverse(dual(gather)), std::invalid_argument);
    CHECK_THROWS_AS(restrict_to_root(gather, 8), std::invalid_argument);
    CHECK_THROWS_AS(restrict_to_root(gather, -1), std::invalid_argument);
    CHECK_THROWS_AS(restrict_to_block(gather, 8), std::invalid_argument);
    CHECK_THROWS_AS(restrict_to_block(gather, -1), std::invalid_argument);
    CHECK_THROWS_AS(without_repeats(dual(gather), 0), std::invalid_argument);
    CHECK_THROWS_AS(without_repeats(gather, 8), std::invalid_argument);
    CHECK_THROWS_AS(then(gather, allgather(9)), std::invalid_argument);
}

TEST_CASE("one block of a pattern on a torus is that block wherever the torus takes it") {
    const Pattern all = algorithm::torus_allgather_pattern(std::vector<int>{3, 4});
    for (int block = 0; block < 12; ++block) {
        const Pattern one = restrict_to_block(all, block);
        for (int rank = 0; rank < 12; ++rank) {
            REQUIRE(one.received_by(rank).size() == (rank == block ? 0 : 1));
        }
        check_pulled(place(one, Collective::broadcast, block), verify::Requirement::complete);
    }
}

TEST_CASE("patterns on a torus refuse ranges that it does not keep together") {
    const std::vector<int> mesh{3, 4};
    const auto make = [&](Blocks blocks) {
        return Pattern(12, 12, 1, Symmetry::torus(mesh), {{{0, 1, blocks, Action::copy}}});
    };
    CHECK_NOTHROW(make({4, 4}));
    CHECK_NOTHROW(make({4, 8}));
    CHECK_NOTHROW(make({5, 1}));
    CHECK_THROWS_AS(make({5, 2}), std::invalid_argument);
    CHECK_THROWS_AS(make({2, 4}), std::invalid_argument);
    // If there are fewer blocks than ranks, none is renamed.
    CHECK_NOTHROW(Pattern(12, 5, 1, Symmetry::torus(mesh), {{{0, 1, {1, 3}, Action::copy}}}));
}

TEST_CASE("reductions are three-address: no input is copied first") {
    for (const char* name : {"circulant", "circulant-square-root"}) {
        for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter}) {
            const Schedule schedule = algorithm::find(collective, name)->make(17, 0);
            CHECK(std::ranges::none_of(schedule.programs().front().moves(), [](const Move& move) {
                return !move.reduces && move.left.space == Space::input;
            }));
        }
    }
}

TEST_CASE("a transfer of a block that its sender does not have is refused") {
    const Pattern pattern(4, 4, 1, Symmetry::rotation, {{{0, 1, {2, 1}, Action::copy}}});
    CHECK_THROWS_AS(place(pattern, Collective::allgather), std::invalid_argument);
    const Pattern combines(4, 4, 1, Symmetry::rotation, {{{0, 1, {1, 1}, Action::combine}}});
    CHECK_THROWS_AS(place(combines, Collective::allgather), std::invalid_argument);
}

TEST_CASE("a block dodges where it does not end in the output, too") {
    // Member 1 of a reduction to member 0 exchanges with it twice before member 0 takes what it has.
    std::vector<std::vector<Transfer>> lists(2);
    lists[0] = {{0, 1, {0, 1}, Action::copy}, {1, 1, {0, 1}, Action::copy}, {2, 1, {0, 1}, Action::copy}};
    lists[1] = {{0, 0, {0, 1}, Action::copy}, {1, 0, {0, 1}, Action::copy}, {2, 0, {0, 1}, Action::copy}};
    const Schedule made = place(Pattern(2, 1, 3, Symmetry::none, std::move(lists)), Collective::reduce, 0);
    const auto spaces = [&](int rank) {
        std::vector<Space> list;
        const Program program = made.program(rank);
        for (std::size_t round = 0; round < program.size(); ++round) {
            list.push_back(program[round].front().to.space);
        }
        return list;
    };
    CHECK(spaces(0) == std::vector<Space>{Space::output, Space::scratch0, Space::output});
    CHECK(spaces(1) == std::vector<Space>{Space::scratch0, Space::scratch1, Space::scratch0});
    CHECK(made.scratch_vectors() == 2);
    CHECK_FALSE(verify::verify(synchronise(made, Protocol::zero_copy)).has(verify::ViolationKind::race));
}

TEST_CASE("runs of blocks that a torus does not keep together are moved block by block") {
    const std::vector<int> mesh{2, 3};
    // In the last round member 0 takes a row from below, whose first block is in the input of that member and
    // whose others are in its output.
    const Pattern pattern(
        6, 6, 3, Symmetry::torus(mesh),
        {{{0, 1, {1, 1}, Action::copy}, {1, 2, {2, 1}, Action::copy}, {2, 3, {3, 3}, Action::copy}}});
    const Schedule made = place(pattern, Collective::allgather);
    for (const Move& move : made.programs().front().moves()) {
        CHECK(made.symmetry().keeps(move.to.blocks.first, move.to.blocks.count));
    }
    check_pulled(made, verify::Requirement::complete);
    check_pulled(expanded(made), verify::Requirement::complete);
}

TEST_CASE("the shortest range that covers what a member writes to a scratch vector") {
    const auto range_of = [](const std::vector<Blocks>& written) {
        Program program(1);
        for (const Blocks blocks : written) {
            program.add({{0, Space::scratch0, blocks}, {0, Space::input, blocks}, {}, false});
        }
        const Schedule made(Collective::allreduce, 1, 8, Symmetry::none, {program});
        return scratch_range(made, 0, Space::scratch0);
    };
    CHECK(range_of({}).count == 0);
    CHECK(range_of({{3, 1}}) == Blocks{3, 1});
    CHECK(range_of({{2, 2}, {5, 1}}) == Blocks{2, 4});
    CHECK(range_of({{7, 2}}) == Blocks{7, 2});
    CHECK(range_of({{0, 1}, {6, 1}}) == Blocks{6, 3});
    CHECK(range_of({{1, 1}, {4, 1}, {6, 1}}) == Blocks{4, 6});
    CHECK(range_of({{0, 8}}).count == 8);
    CHECK(range_of({{5, 8}}).count == 8);
}
