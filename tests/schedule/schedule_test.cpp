#include "../test.hpp"
#include "algorithm/algorithms.hpp"
#include "algorithm/registry.hpp"
#include "schedule/recorder.hpp"
#include "schedule/runs.hpp"
#include "schedule/schedule.hpp"

using namespace tutti;
using namespace tutti::schedule;

namespace {

Schedule one_move(const Move& move) {
    return {Collective::allreduce, 4, 4, Symmetry::rotation, {Program{{move}}}};
}

} // namespace

TEST_CASE("in the census allreduce of p = 11 members receive from 1, 1, 3 and 5 further on (Träff et al. "
          "2023, Fig. 2)") {
    const Schedule census = algorithm::census_allreduce(11);
    std::vector<int> distances;
    for (std::size_t round = 0; round < static_cast<std::size_t>(census.rounds()); ++round) {
        distances.push_back(census.programs().front()[round].front().right.member);
    }
    CHECK(distances == std::vector<int>{1, 1, 3, 5});
}

TEST_CASE("schedules refuse what does not exist") {
    const Place to{0, Space::output, {0, 1}};
    const Place from{1, Space::input, {0, 1}};
    CHECK_NOTHROW(one_move({to, from, {}, false}));
    CHECK_THROWS_AS(one_move({to, {4, Space::input, {0, 1}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, {-2, Space::input, {0, 1}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({{0, Space::output, {4, 1}}, {1, Space::input, {4, 1}}, {}, false}),
                    std::invalid_argument);
    CHECK_THROWS_AS(one_move({{0, Space::output, {0, 0}}, {1, Space::input, {0, 0}}, {}, false}),
                    std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, {1, Space::input, {1, 2}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, from, {2, Space::input, {0, 2}}, true}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({to, {every, Space::input, {0, 1}}, {}, false}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({{every, Space::output, {0, 1}}, from, from, true}), std::invalid_argument);
    const Place all{every, Space::output, {0, 1}};
    const Place of_all{every, Space::input, {2, 1}};
    CHECK_NOTHROW(one_move({all, of_all, {}, true, Prefix::inclusive}));
    CHECK_THROWS_AS(one_move({to, of_all, {}, true, Prefix::inclusive}), std::invalid_argument);
    CHECK_THROWS_AS(one_move({all, from, {}, true, Prefix::exclusive}), std::invalid_argument);
}

TEST_CASE("a move joins a reduction of two operands to the same place, in the same round") {
    const auto made = [](std::vector<schedule::Move> first, std::vector<schedule::Move> second) {
        return Schedule(Collective::allreduce, 3, 1, Symmetry::none,
                        {{std::move(first), std::move(second)}, {{}, {}}, {{}, {}}});
    };
    const auto in = [](int member) { return Place{member, Space::input, {0, 1}}; };
    const Place to{0, Space::output, {0, 1}};
    const Place elsewhere{0, Space::scratch0, {0, 1}};
    const schedule::Move two{to, in(0), in(1), true};
    const schedule::Move third{to, in(2), {}, true, Prefix::none, true};
    CHECK_NOTHROW(made({two, third}, {}));
    CHECK_NOTHROW(made({two, third, third}, {}));
    CHECK_THROWS_AS(made({third}, {}), std::invalid_argument);
    CHECK_THROWS_AS(made({two}, {third}), std::invalid_argument);
    CHECK_THROWS_AS(made({{to, in(0), {}, false}, third}, {}), std::invalid_argument);
    CHECK_THROWS_AS(made({{to, {every, Space::input, {0, 1}}, {}, true}, third}, {}), std::invalid_argument);
    CHECK_THROWS_AS(made({{elsewhere, in(0), in(1), true}, third}, {}), std::invalid_argument);
    CHECK_THROWS_AS(made({two, {to, in(2), {}, false, Prefix::none, true}}, {}), std::invalid_argument);
    CHECK_THROWS_AS(made({two, {to, {every, Space::input, {0, 1}}, {}, true, Prefix::none, true}}, {}),
                    std::invalid_argument);
}

TEST_CASE("programs that are member 0's rotated are folded into one, and no others") {
    const Schedule census = algorithm::census_allreduce(11);
    const auto again = folded(expanded(census));
    REQUIRE(again);
    CHECK(again->symmetry() == Symmetry::rotation);
    CHECK(again->programs() == census.programs());
    CHECK_FALSE(folded(census));
    CHECK(folded(algorithm::direct_scan(5, algorithm::Inclusion::exclusive)));
    // All read the same member in a round.
    CHECK_FALSE(folded(algorithm::fully_connected_reduce_scatter(5)));
    std::vector<Program> programs = expanded(census).programs();
    programs.back().moves().back().to.space = Space::scratch2;
    CHECK_FALSE(folded(Schedule(Collective::allreduce, 11, census.blocks(), Symmetry::none, programs)));
}

TEST_CASE("a program's rounds are the moves that were added to them") {
    const Move move{{0, Space::output, {0, 1}}, {0, Space::input, {0, 1}}, {}, false};
    Program program(1);
    program.add(move);
    program.extend_to(3);
    program.add(move);
    program.extend_to(2);
    CHECK(program == Program{{move}, {}, {move}});
    CHECK(program != Program{{move}, {move}, {}});
    CHECK(program.moves().size() == 2);
    CHECK(program[1].empty());
    CHECK(program[2].front() == move);
}

TEST_CASE("blocks that are touched alike are one run") {
    const auto made = [](int count) {
        return Schedule(
            Collective::allreduce, 1, 8, Symmetry::none,
            {Program{{{{0, Space::output, {0, count}}, {0, Space::input, {0, count}}, {}, false}}}});
    };
    const auto visit_all = [](auto visit) {
        visit(0, 2, 5, 'a');
        visit(0, 4, 8, 'b');
        visit(2, 0, 8, 'c');
    };
    const ByRun<char> by_run(made(8), 3, 8, visit_all);
    const auto runs_of = [&](std::size_t vector) {
        std::vector<std::size_t> numbers;
        for (int block = 0; block < 8; ++block) {
            numbers.push_back(by_run.run(vector, block));
        }
        return numbers;
    };
    CHECK(by_run.run(3, 0) == 6);
    CHECK(runs_of(0) == std::vector<std::size_t>{0, 0, 1, 1, 2, 3, 3, 3});
    CHECK(runs_of(1) == std::vector<std::size_t>(8, 4));
    CHECK(runs_of(2) == std::vector<std::size_t>(8, 5));
    const auto touching = [](const ByRun<char>& grouped, std::size_t run) {
        return std::string(grouped.at(run).begin(), grouped.at(run).end());
    };
    const std::vector<std::string> expected{"", "a", "ab", "b", "", "c"};
    for (std::size_t run = 0; run < expected.size(); ++run) {
        CHECK(touching(by_run, run) == expected[run]);
    }
    // If most moves are of one block, each block is a run.
    const ByRun<char> by_block(made(1), 3, 8, visit_all);
    CHECK(by_block.run(3, 0) == 24);
    CHECK(touching(by_block, 4) == "ab");
}

TEST_CASE("a vector is shared when others read it or write to it") {
    const auto copy = [](const Place& to, const Place& from) { return Move{to, from, {}, false}; };
    const Place own{0, Space::output, {0, 1}};
    const auto made = [&](const Move& move) {
        return Schedule(Collective::allreduce, 3, 1, Symmetry::none,
                        {Program{{move}}, Program(1), Program(1)});
    };
    const Schedule reads = made(copy(own, {1, Space::input, {0, 1}}));
    CHECK(reads.is_shared(1, Space::input));
    CHECK_FALSE(reads.is_shared(0, Space::output));
    CHECK_FALSE(is_shared(reads, Protocol::zero_copy, 1, Space::output));
    CHECK(is_shared(reads, Protocol::in_place, 1, Space::output));
    CHECK_FALSE(is_shared(reads, Protocol::in_place, 0, Space::output));
    const Schedule stores = made(copy({every, Space::output, {0, 1}}, {0, Space::input, {0, 1}}));
    CHECK_FALSE(stores.is_shared(0, Space::output));
    CHECK(stores.is_shared(1, Space::output));
    CHECK(stores.is_shared(2, Space::output));
    CHECK_FALSE(stores.is_shared(0, Space::input));
    // Others do to member 0 as it does to them.
    const Schedule rotated(Collective::allreduce, 3, 1, Symmetry::rotation,
                           {Program{{copy(own, {2, Space::input, {0, 1}})}}});
    CHECK(rotated.is_shared(0, Space::input));
    CHECK_FALSE(rotated.is_shared(0, Space::output));
}

TEST_CASE("schedules need one program for each stored member, all of the same length") {
    CHECK_THROWS_AS(Schedule(Collective::allreduce, 2, 1, Symmetry::none, {Program(1)}),
                    std::invalid_argument);
    CHECK_THROWS_AS(Schedule(Collective::allreduce, 2, 1, Symmetry::none, {Program(1), Program(2)}),
                    std::invalid_argument);
    CHECK_THROWS_AS(Schedule(Collective::gather, 2, 2, Symmetry::none, {Program(1), Program(1)}, 2),
                    std::invalid_argument);
    CHECK_THROWS_AS(Schedule(Collective::allreduce, 0, 1, Symmetry::rotation, {Program(1)}),
                    std::invalid_argument);
}

TEST_CASE("a move may take blocks to places of another number, which keeps them no longer apart") {
    const Place to{0, Space::output, {0, 2}};
    const auto made = [&](int left, int right) {
        return one_move({to, {1, Space::input, {left, 2}}, {2, Space::input, {right, 2}}, true});
    };
    CHECK(made(0, 0).keeps_blocks_apart());
    CHECK_FALSE(made(2, 2).keeps_blocks_apart());
    CHECK_FALSE(made(0, 2).keeps_blocks_apart());
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        CHECK(row.make(8, 0).keeps_blocks_apart() == (row.collective != Collective::alltoall));
    }
}

TEST_CASE("a schedule whose members change names is recognised, and one that differs in a move is not") {
    const algorithm::Algorithm* row = algorithm::find(Collective::gather, "ring");
    REQUIRE(row != nullptr);
    for (const int ranks : {2, 5, 8}) {
        const Schedule first = row->make(ranks, 0);
        for (int root = 0; root < ranks; ++root) {
            const Schedule image = row->make(ranks, root);
            for (int by = 0; by < ranks; ++by) {
                CHECK(is_renamed(first, image, Translation(Symmetry::rotation, ranks, ranks, by)) ==
                      (by == root));
            }
            for (std::size_t changed = 0; changed < image.programs().size(); ++changed) {
                std::vector<Program> programs = image.programs();
                programs[changed].add(
                    {{static_cast<int>(changed), Space::scratch0, {0, 1}}, {0, Space::input, {0, 1}}, {}});
                const Schedule other(Collective::gather, ranks, ranks, Symmetry::none, std::move(programs),
                                     root);
                CHECK_FALSE(is_renamed(first, other, Translation(Symmetry::rotation, ranks, ranks, root)));
            }
        }
    }
}

TEST_CASE("the places of a move must be renamed in the same way on a torus") {
    const std::vector<int> mesh{3, 4};
    const auto made = [&](Blocks to, Blocks left) {
        return Schedule(Collective::alltoall, 12, 12, Symmetry::torus(mesh),
                        {Program{{{{0, Space::output, to}, {1, Space::input, left}, {}, false}}}});
    };
    CHECK_NOTHROW(made({4, 4}, {8, 4}));
    CHECK_NOTHROW(made({5, 1}, {8, 1}));
    CHECK_NOTHROW(made({4, 8}, {8, 8}));
    CHECK_NOTHROW(made({4, 12}, {8, 12}));
    // A whole vector that starts at 0 turns in itself, the other is taken round.
    CHECK_THROWS_AS(made({0, 12}, {4, 12}), std::invalid_argument);
    CHECK_THROWS_AS(made({5, 2}, {8, 2}), std::invalid_argument);
}

TEST_CASE("which collectives have which blocks where") {
    const auto counts = [](Collective collective) {
        // Four members, root 2: how many blocks of how many members are input, output.
        std::pair<int, int> found{0, 0};
        for (int rank = 0; rank < 4; ++rank) {
            for (int block = 0; block < 4; ++block) {
                found.first += has_input(collective, 2, rank, block, true) ? 1 : 0;
                found.second += has_output(collective, 2, rank, block, true) ? 1 : 0;
            }
        }
        return found;
    };
    using Pair = std::pair<int, int>;
    CHECK(counts(Collective::broadcast) == Pair{4, 16});
    CHECK(counts(Collective::reduce) == Pair{16, 4});
    CHECK(counts(Collective::allreduce) == Pair{16, 16});
    CHECK(counts(Collective::reduce_scatter) == Pair{16, 4});
    CHECK(counts(Collective::allgather) == Pair{4, 16});
    CHECK(counts(Collective::gather) == Pair{4, 4});
    CHECK(counts(Collective::scatter) == Pair{4, 4});
    CHECK(counts(Collective::alltoall) == Pair{16, 16});
    CHECK(counts(Collective::scan) == Pair{16, 16});
    CHECK(counts(Collective::exscan) == Pair{16, 12});
    CHECK(counts(Collective::shift) == Pair{16, 16});
    CHECK(has_output(Collective::gather, 2, 2, 1, true));
    CHECK_FALSE(has_output(Collective::gather, 2, 1, 1, true));
    CHECK(has_input(Collective::scatter, 2, 2, 1, true));
}
