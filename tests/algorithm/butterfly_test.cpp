#include "../test.hpp"
#include "algorithm/algorithms.hpp"
#include "algorithm/registry.hpp"
#include "cost/count.hpp"
#include "messages.hpp"
#include "schedule/pattern.hpp"
#include "verify/verify.hpp"

// The worked cases of Rabenseifner & Träff 2004.

using namespace tutti;
using algorithm::ButterflyPhases;
using schedule::Schedule;
using test::exchanges;
using test::messages;
using test::operator+;
using test::sends;

namespace {

Schedule placed(const ButterflyPhases& phases) {
    return place(then(phases.reduction, phases.routing), Collective::allreduce);
}

Schedule made(const char* name, int ranks) {
    const algorithm::Algorithm* row = algorithm::find(Collective::allreduce, name);
    REQUIRE(row != nullptr);
    return row->make(ranks, 0);
}

/// The rounds after the first `reduction` ones go the same ways back.
void check_reversed(const Schedule& schedule, int reduction) {
    REQUIRE(schedule.rounds() == 2 * reduction);
    for (int round = 0; round < reduction; ++round) {
        test::Messages reversed;
        for (const auto& [pair, blocks] : messages(schedule, round)) {
            reversed[{pair.second, pair.first}] = blocks;
        }
        CHECK(messages(schedule, 2 * reduction - 1 - round) == reversed);
    }
}

/// The number of bits of p: the levels of its butterfly and one.
int bits_of(int ranks) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks)));
}

constexpr int odd_ranks[] = {3, 5, 7, 9, 11, 13, 15, 21, 23, 31, 33, 47, 63};

} // namespace

TEST_CASE("Fig. 2: the butterfly of p = 8 halves in every round") {
    const Schedule schedule = made("butterfly-halving", 8);
    REQUIRE(schedule.blocks() == 8);
    CHECK(messages(schedule, 0) == exchanges({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 4));
    CHECK(messages(schedule, 1) == exchanges({{0, 2}, {1, 3}, {4, 6}, {5, 7}}, 2));
    CHECK(messages(schedule, 2) == exchanges({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 1));
    check_reversed(schedule, 3);
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
    const Schedule schedule = made("butterfly-hybrid", 8);
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
                CAPTURE(ranks);
                CAPTURE(halvings);
                const auto plan =
                    synchronise(placed(make(ranks, 1 << halvings, halvings)), schedule::Protocol::zero_copy);
                const verify::Report report = verify::verify(plan, verify::Requirement::rank_order);
                CHECK_MESSAGE(report.ok(), report.text());
            }
        }
    }
}

TEST_CASE("Fig. 4: overlapping elimination of p = 15") {
    const Schedule schedule = made("butterfly-overlapping-halving", 15);
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
    check_reversed(schedule, 4);
    CHECK(verify::expression(schedule, 14, 7) == "x0 + (x1 + x2) + (x3 + x4 + (x5 + x6)) + "
                                                 "(x7 + x8 + (x9 + x10) + (x11 + x12 + (x13 + x14)))");
}

TEST_CASE("Fig. 4: overlapping elimination of p = 13") {
    const Schedule schedule = made("butterfly-overlapping-halving", 13);
    CHECK(messages(schedule, 0) == exchanges({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}, 4));
    CHECK(messages(schedule, 1) ==
          sends({{2, 0}, {0, 1}}, 4) + exchanges({{5, 7}, {6, 8}, {9, 11}, {10, 12}}, 2));
    // Bit 1 of 13 is 0: the first group goes on a round later, with a plain exchange.
    CHECK(messages(schedule, 2) ==
          exchanges({{0, 3}, {1, 4}}, 2) + exchanges({{5, 9}, {6, 10}, {7, 11}, {8, 12}}, 1));
    CHECK(messages(schedule, 3) ==
          sends({{9, 0}, {10, 1}, {11, 3}, {12, 4}, {0, 5}, {1, 6}, {3, 7}, {4, 8}}, 1));
    check_reversed(schedule, 4);
}

TEST_CASE("Fig. 5: non-overlapping elimination of p = 15 and p = 13") {
    const Schedule fifteen = made("butterfly-nonoverlapping-halving", 15);
    CHECK(messages(fifteen, 0) ==
          exchanges({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}}, 4));
    // While the 3-2 step takes its second round, three pairs absorb three others: m/2 each.
    CHECK(messages(fifteen, 1) ==
          sends({{2, 0}, {0, 1}, {5, 3}, {6, 4}, {9, 7}, {10, 8}, {13, 11}, {14, 12}}, 4));
    CHECK(messages(fifteen, 2) == exchanges({{0, 3}, {1, 4}, {7, 11}, {8, 12}}, 2));
    CHECK(messages(fifteen, 3) == exchanges({{0, 7}, {1, 8}, {3, 11}, {4, 12}}, 1));
    check_reversed(fifteen, 4);

    const Schedule thirteen = made("butterfly-nonoverlapping-halving", 13);
    CHECK(messages(thirteen, 0) == exchanges({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}}, 4));
    CHECK(messages(thirteen, 1) == sends({{2, 0}, {0, 1}, {5, 3}, {6, 4}, {9, 7}, {10, 8}}, 4));
    CHECK(messages(thirteen, 2) == exchanges({{0, 3}, {1, 4}, {7, 11}, {8, 12}}, 2));
    CHECK(messages(thirteen, 3) == exchanges({{0, 7}, {1, 8}, {3, 11}, {4, 12}}, 1));
    check_reversed(thirteen, 4);
}

TEST_CASE(
    "section 3.1: 2-1 elimination first costs two rounds and 4 m, which 3-2 elimination brings below 3 m") {
    for (const int ranks : odd_ranks) {
        CAPTURE(ranks);
        const int levels = bits_of(ranks) - 1;
        const long blocks = 1L << levels;
        CHECK(made("butterfly-elimination-2-1", ranks).rounds() == levels + 2);
        CHECK(test::critical_blocks(made("butterfly-elimination-2-1-halving", ranks)) == 4 * blocks - 2);
        CHECK(test::critical_blocks(made("butterfly-overlapping-halving", ranks)) < 3 * blocks);
    }
}

TEST_CASE(
    "section 3.3: 2 (1.5 - 1/p') m in 2 ceil(log2 p) rounds, for whole messages one round more than log2 p") {
    for (const char* name : {"butterfly-overlapping", "butterfly-nonoverlapping"}) {
        for (const int ranks : odd_ranks) {
            CAPTURE(name);
            CAPTURE(ranks);
            const int q = bits_of(ranks);
            const long blocks = 1L << (q - 1);
            const Schedule halving = made((std::string(name) + "-halving").c_str(), ranks);
            CHECK(halving.rounds() == 2 * q);
            CHECK(test::critical_blocks(halving) == 3 * blocks - 2);
            CHECK(2 * cost::tally(halving).most().reductions <= 3 * blocks - 2);
            const Schedule whole = made(name, ranks);
            CHECK(whole.rounds() == q + 1);
            CHECK(test::critical_blocks(whole) == q + 1);
            CHECK(cost::tally(whole).most().reductions <= q);
        }
    }
}

TEST_CASE("section 4: (1 + 1/2^(n+1)) 2 m for p = q 2^n") {
    for (const char* name : {"butterfly-overlapping-halving", "butterfly-nonoverlapping-halving"}) {
        for (int ranks = 3; ranks <= 64; ++ranks) {
            const long blocks = 1L << (bits_of(ranks) - 1);
            const int factors = std::countr_zero(static_cast<unsigned>(ranks));
            const long extra = blocks == ranks ? 0 : blocks >> (factors + 1);
            CAPTURE(name);
            CAPTURE(ranks);
            CHECK(test::critical_blocks(made(name, ranks)) == 2 * (blocks + extra - 1));
        }
    }
}

TEST_CASE("Table 1: the elimination protocols' rounds, volume and reductions at beta m = alpha, gamma m = "
          "alpha/10") {
    struct Row {
        int ranks;
        // Latency-optimal; bandwidth-optimal in thousandths of m.
        int rounds;
        int volume;
        int reductions;
        int halving_rounds;
        int halving_volume;
        int halving_reductions;
    };
    // p = 7 is printed with 8 rounds, in a sum that adds up with 6, and p = 63 with a volume of 6.0 where the
    // formula of section 3.5 gives 7.0.
    constexpr Row rows[] = {{3, 3, 3, 2, 4, 2000, 1000},  {5, 4, 4, 3, 6, 2500, 1250},
                            {7, 4, 4, 3, 6, 2500, 1250},  {13, 5, 5, 4, 8, 2750, 1375},
                            {15, 5, 5, 4, 8, 2750, 1375}, {23, 6, 6, 5, 10, 2875, 1437},
                            {63, 7, 7, 6, 12, 2937, 1468}};
    for (const Row& row : rows) {
        CAPTURE(row.ranks);
        const Schedule whole = made("butterfly-nonoverlapping", row.ranks);
        CHECK(whole.rounds() == row.rounds);
        CHECK(test::critical_blocks(whole) == row.volume);
        CHECK(cost::tally(whole).most().reductions == row.reductions);
        const Schedule halving = made("butterfly-nonoverlapping-halving", row.ranks);
        CHECK(halving.rounds() == row.halving_rounds);
        CHECK(test::critical_blocks(halving) * 1000 / halving.blocks() == row.halving_volume);
        CHECK(cost::tally(halving).most().reductions * 1000 / halving.blocks() == row.halving_reductions);
    }
}
