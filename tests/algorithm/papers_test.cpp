// The worked cases of Rabenseifner & Träff 2004, and of Grama et al. 2003: the slides to chapter 4 and
// section 4.3.

#include "algorithm/algorithms.hpp"
#include "messages.hpp"
#include "schedule/pattern.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using schedule::Schedule;
using test::check_reversed;
using test::exchanges;
using test::made;
using test::messages;
using test::operator+;
using test::sends;

namespace {

Schedule allreduce(const std::string& name, int ranks) {
    return made(Collective::allreduce, name, ranks);
}

/// The number of bits of p: the levels of its butterfly and one.
int bits_of(int ranks) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks)));
}

} // namespace

TEST_CASE("Fig. 2: the butterfly of p = 8 halves in every round") {
    const Schedule schedule = allreduce("butterfly-halving", 8);
    REQUIRE(schedule.blocks() == 8);
    CHECK(messages(schedule, 0) == exchanges({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 4));
    CHECK(messages(schedule, 1) == exchanges({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, 2));
    CHECK(messages(schedule, 2) == exchanges({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 1));
    check_reversed(schedule, schedule);
    // Segments A .. H end at the members whose bits are theirs, reversed.
    CHECK(algorithm::butterfly_overlapping(8, 8, 3).owners == std::vector<int>{0, 4, 2, 6, 1, 5, 3, 7});
    CHECK(test::critical_blocks(schedule) == 2 * (8 - 1));
    for (int rank = 0; rank < 8; ++rank) {
        for (int block = 0; block < 8; ++block) {
            CHECK(verify::expression(schedule, rank, block) == "x0 + x1 + (x2 + x3) + (x4 + x5 + (x6 + x7))");
        }
    }
}

TEST_CASE("Fig. 3: the same with whole messages from the third round on") {
    const Schedule schedule = allreduce("butterfly-hybrid", 8);
    REQUIRE(schedule.blocks() == 4);
    CHECK(messages(schedule, 0) == exchanges({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 2));
    CHECK(messages(schedule, 1) == exchanges({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, 1));
    CHECK(messages(schedule, 2) == exchanges({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 1));
    // The round without halving needs no routing.
    REQUIRE(schedule.rounds() == 5);
    CHECK(messages(schedule, 3) == messages(schedule, 1));
    CHECK(messages(schedule, 4) == messages(schedule, 0));
}

TEST_CASE("section 2: with every threshold the elimination protocols are right for every p") {
    for (const auto make : {algorithm::butterfly_overlapping, algorithm::butterfly_nonoverlapping,
                            algorithm::butterfly_elimination_2_1}) {
        for (int ranks = 1; ranks <= 40; ++ranks) {
            // Halves above the threshold, whole messages below.
            for (int halvings = 0; halvings < bits_of(ranks); ++halvings) {
                INFO(ranks, " ranks, ", halvings, " halvings");
                const auto phases = make(ranks, 1 << halvings, halvings);
                const auto plan =
                    synchronise(place(then(phases.reduction, phases.routing), Collective::allreduce),
                                schedule::Protocol::zero_copy);
                const verify::Report report = verify::verify(plan, verify::Requirement::rank_order);
                CHECK_MESSAGE(report.ok(), report.text());
            }
        }
    }
}

TEST_CASE("Fig. 4: overlapping elimination of p = 15") {
    const Schedule schedule = allreduce("butterfly-overlapping-halving", 15);
    REQUIRE(schedule.blocks() == 8);
    // Members 0 to 2, then the pairs of 0, 3 and 5, then the groups of 0, 7 and 11.
    CHECK(messages(schedule, 0) ==
          exchanges({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}}, 4));
    CHECK(messages(schedule, 1) ==
          sends({{2, 0}, {0, 1}}, 4) + exchanges({{3, 5}, {4, 6}, {7, 9}, {8, 10}, {11, 13}, {12, 14}}, 2));
    CHECK(messages(schedule, 2) ==
          sends({{5, 0}, {6, 1}, {0, 3}, {1, 4}}, 2) + exchanges({{7, 11}, {8, 12}, {9, 13}, {10, 14}}, 1));
    CHECK(messages(schedule, 3) ==
          sends({{11, 0}, {12, 1}, {13, 3}, {14, 4}, {0, 7}, {1, 8}, {3, 9}, {4, 10}}, 1));
    check_reversed(schedule, schedule);
    CHECK(verify::expression(schedule, 14, 7) == "x0 + (x1 + x2) + (x3 + x4 + (x5 + x6)) + "
                                                 "(x7 + x8 + (x9 + x10) + (x11 + x12 + (x13 + x14)))");
}

TEST_CASE("Fig. 4: overlapping elimination of p = 13") {
    const Schedule schedule = allreduce("butterfly-overlapping-halving", 13);
    CHECK(messages(schedule, 0) == exchanges({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}, 4));
    CHECK(messages(schedule, 1) ==
          sends({{2, 0}, {0, 1}}, 4) + exchanges({{5, 7}, {6, 8}, {9, 11}, {10, 12}}, 2));
    // Bit 1 of 13 is 0: the first group goes on a round later, with a plain exchange.
    CHECK(messages(schedule, 2) ==
          exchanges({{0, 3}, {1, 4}}, 2) + exchanges({{5, 9}, {6, 10}, {7, 11}, {8, 12}}, 1));
    CHECK(messages(schedule, 3) ==
          sends({{9, 0}, {10, 1}, {11, 3}, {12, 4}, {0, 5}, {1, 6}, {3, 7}, {4, 8}}, 1));
    check_reversed(schedule, schedule);
}

TEST_CASE("Fig. 5: non-overlapping elimination of p = 15 and p = 13") {
    const Schedule fifteen = allreduce("butterfly-nonoverlapping-halving", 15);
    CHECK(messages(fifteen, 0) ==
          exchanges({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}}, 4));
    // While the 3-2 step takes its second round, three pairs absorb three others: m/2 each.
    CHECK(messages(fifteen, 1) ==
          sends({{2, 0}, {0, 1}, {5, 3}, {6, 4}, {9, 7}, {10, 8}, {13, 11}, {14, 12}}, 4));
    CHECK(messages(fifteen, 2) == exchanges({{0, 3}, {1, 4}, {7, 11}, {8, 12}}, 2));
    CHECK(messages(fifteen, 3) == exchanges({{0, 7}, {1, 8}, {3, 11}, {4, 12}}, 1));
    check_reversed(fifteen, fifteen);

    const Schedule thirteen = allreduce("butterfly-nonoverlapping-halving", 13);
    CHECK(messages(thirteen, 0) == exchanges({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}, 4));
    CHECK(messages(thirteen, 1) == sends({{2, 0}, {0, 1}, {5, 3}, {6, 4}, {9, 7}, {10, 8}}, 4));
    CHECK(messages(thirteen, 2) == exchanges({{0, 3}, {1, 4}, {7, 11}, {8, 12}}, 2));
    CHECK(messages(thirteen, 3) == exchanges({{0, 7}, {1, 8}, {3, 11}, {4, 12}}, 1));
    check_reversed(thirteen, thirteen);
}

TEST_CASE(
    "sections 3.1 and 3.3: 2-1 elimination first costs 4 m; whole messages one round more than log2 p") {
    for (const int ranks : {3, 5, 7, 9, 11, 13, 15, 21, 23, 31, 33, 47, 63}) {
        CAPTURE(ranks);
        const long blocks = 1L << (bits_of(ranks) - 1);
        CHECK(test::critical_blocks(allreduce("butterfly-elimination-2-1-halving", ranks)) == 4 * blocks - 2);
        CHECK(test::critical_blocks(allreduce("butterfly-overlapping", ranks)) == bits_of(ranks) + 1);
        CHECK(test::critical_blocks(allreduce("butterfly-nonoverlapping", ranks)) == bits_of(ranks) + 1);
    }
}

TEST_CASE("sections 3.3 and 4: (1 + 1/2^(n+1)) 2 m for p = q 2^n") {
    for (const char* name : {"butterfly-overlapping-halving", "butterfly-nonoverlapping-halving"}) {
        for (int ranks = 3; ranks <= 64; ++ranks) {
            const long blocks = 1L << (bits_of(ranks) - 1);
            const int factors = std::countr_zero(static_cast<unsigned>(ranks));
            const long extra = blocks == ranks ? 0 : blocks >> (factors + 1);
            INFO(name, ", ", ranks);
            CHECK(test::critical_blocks(allreduce(name, ranks)) == 2 * (blocks + extra - 1));
        }
    }
}

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
    const Schedule ring = made(Collective::allgather, "ring", 8);
    REQUIRE(ring.rounds() == 7);
    for (int round = 0; round < 7; ++round) {
        CHECK(messages(ring, round) ==
              sends({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 0}}, 1));
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

TEST_CASE("shifts by any distance on 16 members: min(q, p - q), at most sqrt p + 1") {
    for (int distance = 0; distance < 16; ++distance) {
        CAPTURE(distance);
        CHECK(test::critical_blocks(made(Collective::shift, "ring", 16, distance)) ==
              std::min(distance, 16 - distance));
        CHECK(test::critical_blocks(made(Collective::shift, "mesh", 16, distance)) <= 4 + 1);
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
