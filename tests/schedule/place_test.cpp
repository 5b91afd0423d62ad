#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "graph/graphs.hpp"
#include "schedule/pattern.hpp"
#include "schedule/schedule.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using namespace tutti::schedule;

namespace {

/// The blocks that member 0 keeps in its scratch vectors.
std::set<int> scratch_blocks(const Schedule& schedule) {
    std::set<int> blocks;
    for (const Move& move : schedule.programs().front().moves()) {
        for (int i = 0; move.to.space >= Space::scratch0 && i < move.to.blocks.count; ++i) {
            blocks.insert(wrap(move.to.blocks.first + i, schedule.blocks()));
        }
    }
    return blocks;
}

/// Allreduce, reduce-scatter and allgather along skips: those that follow from the allgather.
bool is_circulant(const algorithm::Algorithm& row) {
    const bool symmetric = row.collective == Collective::allreduce ||
                           row.collective == Collective::reduce_scatter ||
                           row.collective == Collective::allgather;
    const bool circulant = row.name.starts_with("circulant") && row.name != "circulant-uniform";
    return symmetric && (circulant || row.name == "bruck");
}

void check_pulled(const Schedule& schedule, verify::Requirement requirement) {
    for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place}) {
        const auto report = verify::verify(synchronise(schedule, protocol), requirement);
        CHECK_MESSAGE(report.ok(), report.text());
    }
}

/// Whole vectors exchanged in every round of a hypercube of `bits` dimensions, the lower rank's on the left.
Pattern full_exchange(int bits) {
    const int ranks = 1 << bits;
    std::vector<std::vector<Transfer>> lists(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        for (int round = 0; round < bits; ++round) {
            const int partner = rank ^ (1 << round);
            lists[static_cast<std::size_t>(rank)].push_back(
                {round, partner, {0, 1}, partner < rank ? Action::combine_before : Action::combine});
        }
    }
    return {ranks, 1, bits, Symmetry::none, std::move(lists)};
}

} // namespace

TEST_CASE("allreduce and allgather on circulant graphs need no scratch, reduce-scatter under half a vector") {
    int rows = 0;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!is_circulant(row)) {
            continue;
        }
        ++rows;
        for (int ranks = 1; ranks <= 128; ++ranks) {
            CAPTURE(row.name);
            CAPTURE(ranks);
            const int kept = static_cast<int>(scratch_blocks(row.make(ranks, 0)).size());
            if (row.collective == Collective::reduce_scatter) {
                REQUIRE(kept <= std::max(0, ranks / 2 - 1));
            } else {
                REQUIRE(kept == 0);
            }
        }
    }
    CHECK(rows == 12);
}

TEST_CASE("the halving reduce-scatter uses exactly what its first round receives for others") {
    const algorithm::Algorithm* row = algorithm::find(Collective::reduce_scatter, "circulant");
    REQUIRE(row != nullptr);
    for (int ranks = 2; ranks <= 64; ++ranks) {
        CHECK(scratch_blocks(row->make(ranks, 0)).size() == static_cast<std::size_t>(ranks / 2 - 1));
    }
}

TEST_CASE("the uniform reduce-scatter keeps what its first round receives for others: 2^(q - 1) - 1 blocks") {
    const algorithm::Algorithm* row = algorithm::find(Collective::reduce_scatter, "circulant-uniform");
    REQUIRE(row != nullptr);
    for (int ranks = 2; ranks <= 128; ++ranks) {
        const std::size_t received = std::size_t{1} << (graph::rounds_log2(ranks) - 1);
        CHECK(scratch_blocks(row->make(ranks, 0)).size() == received - 1);
    }
}

TEST_CASE("reductions are three-address: no input is copied first") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!is_circulant(row) || row.collective == Collective::allgather) {
            continue;
        }
        const Schedule schedule = row.make(17, 0);
        for (const Move& move : schedule.programs().front().moves()) {
            CHECK_FALSE((!move.reduces && move.left.space == Space::input));
        }
    }
}

TEST_CASE("a member alone copies its input to its output") {
    const Pattern nothing(1, 1, 0, Symmetry::rotation, {{}});
    const Schedule schedule = place(nothing, Collective::allreduce);
    REQUIRE(schedule.rounds() == 1);
    CHECK(schedule.program(0) ==
          Program{{{{0, Space::output, {0, 1}}, {0, Space::input, {0, 1}}, {}, false}}});
}

TEST_CASE("a transfer of a block that its sender does not have is refused") {
    const Pattern pattern(4, 4, 1, Symmetry::rotation, {{{0, 1, {2, 1}, Action::copy}}});
    CHECK_THROWS_AS(place(pattern, Collective::allgather), std::invalid_argument);
    const Pattern combines(4, 4, 1, Symmetry::rotation, {{{0, 1, {1, 1}, Action::combine}}});
    CHECK_THROWS_AS(place(combines, Collective::allgather), std::invalid_argument);
}

TEST_CASE("a block that is read while it is written dodges to the other vector, and ends in the output") {
    for (int bits = 1; bits <= 4; ++bits) {
        const Schedule made = place(full_exchange(bits), Collective::allreduce);
        CAPTURE(bits);
        // The first write leaves the input, which stays; each of the others is read in the same round.
        CHECK(made.scratch_vectors() == (bits > 1 ? 1 : 0));
        for (int rank = 0; rank < made.ranks(); ++rank) {
            const Program program = made.program(rank);
            for (int round = 0; round < bits; ++round) {
                const Move& move = program[static_cast<std::size_t>(round)].front();
                const bool ahead_is_odd = (bits - 1 - round) % 2 != 0;
                CHECK(move.to.space == (ahead_is_odd ? Space::scratch0 : Space::output));
                CHECK(move.left.space == (round == 0     ? Space::input
                                          : ahead_is_odd ? Space::output
                                                         : Space::scratch0));
                CHECK(move.left.member < move.right.member);
            }
            CHECK(scratch_range(made, rank, Space::scratch0).count == (bits > 1 ? 1 : 0));
        }
        const auto report =
            verify::verify(synchronise(made, Protocol::zero_copy), verify::Requirement::rank_order);
        CHECK_MESSAGE(report.ok(), report.text());
    }
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

TEST_CASE("the scratch range of a member is its own, on a ring and on a torus") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        const int ranks = takes(row, 12) ? 12 : 16;
        const Schedule made = row.make(ranks, has_root(row) ? 5 : 0);
        const Schedule all = expanded(made);
        for (int rank = 0; rank < ranks; ++rank) {
            for (int vector = 0; vector < made.scratch_vectors(); ++vector) {
                const auto space = static_cast<Space>(static_cast<int>(Space::scratch0) + vector);
                const Blocks range = scratch_range(made, rank, space);
                CAPTURE(row.collective);
                CAPTURE(row.name);
                CHECK(range == scratch_range(all, rank, space));
                const Program program = made.program(rank);
                for (const Move& move : program.moves()) {
                    for (int i = 0; move.to.space == space && i < move.to.blocks.count; ++i) {
                        const int block = wrap(move.to.blocks.first + i, made.blocks());
                        CHECK(wrap(block - range.first, made.blocks()) < range.count);
                    }
                }
            }
        }
    }
}
