#include "../test.hpp"
#include "algorithm/algorithms.hpp"
#include "algorithm/registry.hpp"
#include "messages.hpp"
#include "schedule/pattern.hpp"

// The worked cases of Grama et al. 2003: the slides to chapter 4 and section 4.3.

using namespace tutti;
using schedule::Schedule;
using test::exchanges;
using test::messages;
using test::operator+;
using test::sends;

namespace {

using Vectors = std::vector<std::vector<long>>;

Schedule made(Collective collective, const char* name, int ranks, int root = 0) {
    const algorithm::Algorithm* row = algorithm::find(collective, name);
    REQUIRE(row != nullptr);
    return row->make(ranks, root);
}

/// Carries out a schedule on sums of numbers, round by round. One vector of numbers, a number for each block,
/// for each member; what nobody writes is 0.
Vectors run(const Schedule& schedule, const Vectors& inputs) {
    using schedule::every;
    using schedule::Space;
    const auto ranks = static_cast<std::size_t>(schedule.ranks());
    const auto blocks = static_cast<std::size_t>(schedule.blocks());
    std::vector<Vectors> now(ranks, Vectors(schedule::space_count, std::vector<long>(blocks, 0)));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        now[rank][0] = inputs[rank];
    }
    for (int round = 0; round < schedule.rounds(); ++round) {
        const auto before = now;
        for (int rank = 0; rank < schedule.ranks(); ++rank) {
            const auto program = schedule.program(rank);
            const auto value = [&](int member, const schedule::Place& place, int i) {
                const auto& source = member == rank ? now : before;
                return source[static_cast<std::size_t>(member)][static_cast<std::size_t>(place.space)]
                             [static_cast<std::size_t>(
                                 schedule::wrap(place.blocks.first + i, schedule.blocks()))];
            };
            const auto store = [&](int member, const schedule::Place& place, int i, long number) {
                now[static_cast<std::size_t>(member)][static_cast<std::size_t>(place.space)]
                   [static_cast<std::size_t>(schedule::wrap(place.blocks.first + i, schedule.blocks()))] =
                       number;
            };
            for (const schedule::Move& move : program[static_cast<std::size_t>(round)]) {
                for (int i = 0; i < move.to.blocks.count; ++i) {
                    if (move.left.member != every) {
                        const long right = move.has_right() ? value(move.right.member, move.right, i) : 0;
                        store(move.to.member, move.to, i, value(move.left.member, move.left, i) + right);
                        continue;
                    }
                    REQUIRE(move.prefix != schedule::Prefix::none);
                    long sum = 0;
                    for (int member = 0; member < schedule.ranks(); ++member) {
                        const long own = value(member, move.left, i);
                        const bool exclusive = move.prefix == schedule::Prefix::exclusive;
                        if (!exclusive || member > 0) {
                            store(member, move.to, i, exclusive ? sum : sum + own);
                        }
                        sum += own;
                    }
                }
            }
        }
    }
    Vectors outputs;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        outputs.push_back(now[rank][static_cast<std::size_t>(Space::output)]);
    }
    return outputs;
}

/// The same number in every block of a member.
Vectors spread(const std::vector<long>& numbers, int blocks) {
    Vectors all;
    for (const long number : numbers) {
        all.emplace_back(static_cast<std::size_t>(blocks), number);
    }
    return all;
}

void check_reversed(const Schedule& there, const Schedule& back) {
    REQUIRE(there.rounds() == back.rounds());
    for (int round = 0; round < there.rounds(); ++round) {
        test::Messages reversed;
        for (const auto& [pair, blocks] : messages(there, round)) {
            reversed[{pair.second, pair.first}] = blocks;
        }
        CHECK(messages(back, there.rounds() - 1 - round) == reversed);
    }
}

} // namespace

TEST_CASE("one-to-all broadcast on an eight-node ring, hypercube and tree: 4, then 2, then 1") {
    for (const char* name : {"ring", "hypercube", "tree"}) {
        CAPTURE(name);
        const Schedule broadcast = made(Collective::broadcast, name, 8);
        REQUIRE(broadcast.rounds() == 3);
        CHECK(messages(broadcast, 0) == sends({{0, 4}}, 1));
        CHECK(messages(broadcast, 1) == sends({{0, 2}, {4, 6}}, 1));
        CHECK(messages(broadcast, 2) == sends({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 1));
        // The reduction is its dual.
        check_reversed(broadcast, made(Collective::reduce, name, 8));
    }
}

TEST_CASE("broadcast on a hypercube from any source: labels relative to it by XOR") {
    for (int root = 0; root < 8; ++root) {
        const Schedule broadcast = made(Collective::broadcast, "hypercube", 8, root);
        CHECK(messages(broadcast, 0) == sends({{root, 4 ^ root}}, 1));
        CHECK(messages(broadcast, 1) == sends({{root, 2 ^ root}, {4 ^ root, 6 ^ root}}, 1));
        CHECK(messages(broadcast, 2).size() == 4);
    }
}

TEST_CASE("one-to-all broadcast on a 16-node mesh: the row of the source, then all columns") {
    const Schedule broadcast = made(Collective::broadcast, "mesh", 16);
    REQUIRE(broadcast.rounds() == 4);
    CHECK(messages(broadcast, 0) == sends({{0, 2}}, 1));
    CHECK(messages(broadcast, 1) == sends({{0, 1}, {2, 3}}, 1));
    CHECK(messages(broadcast, 2) == sends({{0, 8}, {1, 9}, {2, 10}, {3, 11}}, 1));
    CHECK(messages(broadcast, 3) ==
          sends({{0, 4}, {1, 5}, {2, 6}, {3, 7}, {8, 12}, {9, 13}, {10, 14}, {11, 15}}, 1));
    check_reversed(broadcast, made(Collective::reduce, "mesh", 16));
}

TEST_CASE("all-to-all broadcast on an eight-node ring: seven times to the right") {
    const schedule::Pattern ring = algorithm::torus_allgather_pattern({8});
    REQUIRE(ring.rounds() == 7);
    for (int rank = 0; rank < 8; ++rank) {
        const auto list = ring.received_by(rank);
        REQUIRE(list.size() == 7);
        for (int step = 1; step <= 7; ++step) {
            const schedule::Transfer& transfer = list[static_cast<std::size_t>(step) - 1];
            CHECK(transfer.from == (rank + 7) % 8);
            CHECK(transfer.blocks == schedule::Blocks{(rank + 8 - step) % 8, 1});
        }
    }
}

TEST_CASE("all-to-all broadcast on a 3 x 3 mesh: rows, then rows' messages down the columns") {
    const Schedule mesh = made(Collective::allgather, "mesh", 9);
    REQUIRE(mesh.rounds() == 4);
    const test::Messages right =
        sends({{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {6, 7}, {7, 8}, {8, 6}}, 1);
    const test::Messages down =
        sends({{0, 3}, {3, 6}, {6, 0}, {1, 4}, {4, 7}, {7, 1}, {2, 5}, {5, 8}, {8, 2}}, 3);
    CHECK(messages(mesh, 0) == right);
    CHECK(messages(mesh, 1) == right);
    CHECK(messages(mesh, 2) == down);
    CHECK(messages(mesh, 3) == down);
    // After the first phase a member has just its row.
    const schedule::Pattern pattern = algorithm::torus_allgather_pattern({3, 3});
    for (int rank = 0; rank < 9; ++rank) {
        int row = 1 << rank;
        for (const schedule::Transfer& transfer : pattern.received_by(rank)) {
            for (int i = 0; transfer.round < 2 && i < transfer.blocks.count; ++i) {
                row |= 1 << (transfer.blocks.first + i);
            }
        }
        CHECK(row == 7 << rank / 3 * 3);
    }
}

TEST_CASE("all-to-all broadcast on an eight-node hypercube: message doubling") {
    const Schedule cube = made(Collective::allgather, "hypercube", 8);
    CHECK(messages(cube, 0) == exchanges({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 1));
    CHECK(messages(cube, 1) == exchanges({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, 2));
    CHECK(messages(cube, 2) == exchanges({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 4));
    check_reversed(cube, made(Collective::reduce_scatter, "hypercube", 8));
}

TEST_CASE("scatter on an eight-node hypercube: 4, 2 and 1 messages; gather is the inverse") {
    const Schedule scatter = made(Collective::scatter, "hypercube", 8);
    CHECK(messages(scatter, 0) == sends({{0, 4}}, 4));
    CHECK(messages(scatter, 1) == sends({{0, 2}, {4, 6}}, 2));
    CHECK(messages(scatter, 2) == sends({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 1));
    check_reversed(scatter, made(Collective::gather, "hypercube", 8));
    CHECK(test::critical_blocks(scatter) == 7);
}

TEST_CASE("all-to-all personalized: p (p - 1) / 2 on a ring, p / 2 a step on a hypercube, XOR for the "
          "optimal one") {
    const Schedule ring = made(Collective::alltoall, "ring", 6);
    REQUIRE(ring.rounds() == 5);
    for (int step = 1; step <= 5; ++step) {
        const int left = 6 - step;
        CHECK(messages(ring, step - 1) == sends({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}, left));
    }
    const Schedule mesh = made(Collective::alltoall, "mesh", 9);
    CHECK(mesh.rounds() == 4);
    CHECK(test::critical_blocks(mesh) == 9 * (3 - 1));
    const Schedule cube = made(Collective::alltoall, "hypercube", 8);
    CHECK(messages(cube, 0) == exchanges({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 4));
    CHECK(messages(cube, 1) == exchanges({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, 4));
    CHECK(messages(cube, 2) == exchanges({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 4));
    const Schedule optimal = made(Collective::alltoall, "pairwise", 8);
    REQUIRE(optimal.rounds() == 7);
    for (int step = 1; step <= 7; ++step) {
        test::Messages wanted;
        for (int rank = 0; rank < 8; ++rank) {
            wanted[{rank, rank ^ step}] = 1;
        }
        CHECK(messages(optimal, step - 1) == wanted);
    }
}

TEST_CASE("a matrix of one number a member and block is transposed by every all-to-all") {
    for (const char* name :
         {"direct", "pairwise", "ring", "ring-bidirectional", "mesh", "hypercube", "circulant"}) {
        CAPTURE(name);
        constexpr int ranks = 8;
        Vectors matrix(ranks);
        for (int row = 0; row < ranks; ++row) {
            for (int column = 0; column < ranks; ++column) {
                matrix[static_cast<std::size_t>(row)].push_back(10 * row + column);
            }
        }
        const Vectors transposed = run(made(Collective::alltoall, name, ranks), matrix);
        for (std::size_t row = 0; row < ranks; ++row) {
            for (std::size_t column = 0; column < ranks; ++column) {
                CHECK(transposed[row][column] == matrix[column][row]);
            }
        }
    }
}

TEST_CASE("a circular 5-shift on a 4 x 4 mesh: row shift, compensation, column shift") {
    const Schedule shift = made(Collective::shift, "mesh", 16, 5);
    REQUIRE(shift.rounds() == 3);
    test::Messages rows;
    test::Messages columns;
    for (int rank = 0; rank < 16; ++rank) {
        rows[{rank, rank / 4 * 4 + (rank + 1) % 4}] = 1;
        columns[{rank, (rank + 4) % 16}] = 1;
    }
    CHECK(messages(shift, 0) == rows);
    // Blocks that went round the end of their row are in column 0 and go down by one.
    CHECK(messages(shift, 1) == sends({{0, 4}, {4, 8}, {8, 12}, {12, 0}}, 1));
    CHECK(messages(shift, 2) == columns);
}

TEST_CASE("a circular 5-shift of eight members on a hypercube: 4 and 1") {
    const Schedule shift = made(Collective::shift, "hypercube", 8, 5);
    REQUIRE(shift.rounds() == 2);
    for (int round = 0; round < 2; ++round) {
        test::Messages wanted;
        for (int rank = 0; rank < 8; ++rank) {
            wanted[{rank, (rank + (round == 0 ? 4 : 1)) % 8}] = 1;
        }
        CHECK(messages(shift, round) == wanted);
    }
}

TEST_CASE("shifts by any distance on 16 members: min(q, p - q), at most sqrt p + 1, one for each bit") {
    std::vector<long> numbers(16);
    std::iota(numbers.begin(), numbers.end(), 0L);
    for (int distance = 0; distance < 16; ++distance) {
        CAPTURE(distance);
        CHECK(test::critical_blocks(made(Collective::shift, "ring", 16, distance)) ==
              std::min(distance, 16 - distance));
        CHECK(test::critical_blocks(made(Collective::shift, "mesh", 16, distance)) <= 4 + 1);
        for (const char* name : {"direct", "ring", "mesh", "hypercube"}) {
            const Vectors shifted = run(made(Collective::shift, name, 16, distance), spread(numbers, 1));
            for (int rank = 0; rank < 16; ++rank) {
                CHECK(shifted[static_cast<std::size_t>(rank)].front() == (rank + 16 - distance) % 16);
            }
        }
    }
}

TEST_CASE("prefix sums: <3, 1, 4, 0, 2> gives <3, 4, 8, 8, 10>") {
    const std::vector<long> numbers{3, 1, 4, 0, 2};
    for (const char* name : {"direct", "ring", "hypercube"}) {
        CAPTURE(name);
        const Schedule scan = made(Collective::scan, name, 5);
        CHECK(run(scan, spread(numbers, scan.blocks())) == spread({3, 4, 8, 8, 10}, scan.blocks()));
        const Schedule exscan = made(Collective::exscan, name, 5);
        CHECK(run(exscan, spread(numbers, exscan.blocks())) == spread({0, 3, 4, 8, 8}, exscan.blocks()));
    }
}

TEST_CASE("prefix sums on an eight-node hypercube: partners as in Alg. 4.9, and results only from below") {
    const Schedule scan = made(Collective::scan, "hypercube", 8);
    REQUIRE(scan.rounds() == 3);
    for (int round = 0; round < 3; ++round) {
        for (const auto& [pair, blocks] : messages(scan, round)) {
            CHECK((pair.first ^ pair.second) == 1 << round);
        }
        for (int rank = 0; rank < 8; ++rank) {
            const int partner = rank ^ (1 << round);
            const schedule::Program program = scan.program(rank);
            for (const schedule::Move& move : program[static_cast<std::size_t>(round)]) {
                const bool into_result = move.reduces && move.to.space == schedule::Space::output;
                CHECK((!into_result || partner < rank));
            }
        }
    }
}
