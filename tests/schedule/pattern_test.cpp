#include "../test.hpp"
#include "algorithm/algorithms.hpp"
#include "cost/count.hpp"
#include "graph/graphs.hpp"
#include "schedule/pattern.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using namespace tutti::schedule;

namespace {

Pattern allgather(int ranks, graph::Skips kind = graph::Skips::halving) {
    return algorithm::circulant_allgather_pattern(ranks, graph::skips(ranks, kind));
}

constexpr graph::Skips kinds[] = {graph::Skips::halving, graph::Skips::power_of_two,
                                  graph::Skips::fully_connected, graph::Skips::square_root};

void check_pulled(const Schedule& schedule) {
    for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place}) {
        const auto report = verify::verify(synchronise(schedule, protocol));
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

TEST_CASE("reversing twice gives the pattern back") {
    for (int ranks = 1; ranks <= 40; ++ranks) {
        const Pattern once = allgather(ranks);
        const Pattern twice = reverse(reverse(once));
        CHECK(twice.received() == once.received());
        CHECK(twice.rounds() == once.rounds());
    }
}

TEST_CASE("the dual needs no symmetry") {
    for (int ranks = 1; ranks <= 12; ++ranks) {
        const Pattern symmetric = allgather(ranks);
        std::vector<std::vector<Transfer>> lists;
        for (int rank = 0; rank < ranks; ++rank) {
            lists.push_back(symmetric.received_by(rank));
        }
        const Pattern written_out(ranks, ranks, symmetric.rounds(), Symmetry::none, std::move(lists));
        const Pattern one = dual(written_out);
        const Pattern other = dual(symmetric);
        for (int rank = 0; rank < ranks; ++rank) {
            auto expected = other.received_by(rank);
            for (Transfer& transfer : expected) {
                // If each member has a list of its own, the operand of the lower rank is the left one.
                transfer.action = transfer.from < rank ? Action::combine_before : Action::combine;
            }
            CHECK(one.received_by(rank) == expected);
        }
        check_pulled(place(one, Collective::reduce_scatter));
    }
}

TEST_CASE("allgather restricted to a root is a gather, reversed a scatter") {
    for (const graph::Skips kind : kinds) {
        for (int ranks = 1; ranks <= 20; ++ranks) {
            for (int root = 0; root < ranks; ++root) {
                CAPTURE(ranks);
                CAPTURE(root);
                const Pattern pattern = restrict_to_root(allgather(ranks, kind), root);
                const Schedule gather = place(pattern, Collective::gather, root);
                check_pulled(gather);
                CHECK(cost::tally(gather).received[static_cast<std::size_t>(root)] == ranks - 1);

                const Schedule scatter = place(reverse(pattern), Collective::scatter, root);
                check_pulled(scatter);
                CHECK(cost::tally(scatter).sent[static_cast<std::size_t>(root)] == ranks - 1);
            }
        }
    }
}

TEST_CASE("a gather moves each block on along one path only") {
    const Schedule gather = place(restrict_to_root(allgather(16), 3), Collective::gather, 3);
    const cost::Tally tally = cost::tally(gather);
    for (std::size_t rank = 0; rank < 16; ++rank) {
        CHECK((rank == 3 || tally.sent[rank] >= 1));
    }
    // A binomial tree: each of 15 blocks travels as many edges as its distance has bits, 32 in all.
    CHECK(std::accumulate(tally.received.begin(), tally.received.end(), 0L) == 32);
}

TEST_CASE("composition keeps the rounds apart") {
    const Pattern gather = allgather(9);
    const Pattern both = then(dual(gather), gather);
    CHECK(both.rounds() == 2 * gather.rounds());
    CHECK(both.symmetry() == Symmetry::rotation);
    const auto list = both.received_by(4);
    REQUIRE(list.size() == 8);
    CHECK(list[3].action == Action::combine);
    CHECK(list[4] == Transfer{4, 5, {5, 1}, Action::copy});

    const Pattern rooted = restrict_to_root(gather, 2);
    const Pattern there_and_back = then(rooted, reverse(rooted));
    CHECK(there_and_back.symmetry() == Symmetry::none);
    CHECK(there_and_back.rounds() == 8);
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

TEST_CASE("one block of an allgather is a broadcast, and of its dual a reduction") {
    for (const graph::Skips kind : kinds) {
        for (int ranks = 1; ranks <= 20; ++ranks) {
            for (int root = 0; root < ranks; ++root) {
                CAPTURE(ranks);
                CAPTURE(root);
                const Pattern one = restrict_to_block(allgather(ranks, kind), root);
                CHECK(one.blocks() == 1);
                CHECK(one.symmetry() == Symmetry::none);
                // Everybody but the root receives the block once.
                for (int rank = 0; rank < ranks; ++rank) {
                    CHECK(one.received_by(rank).size() == (rank == root ? 0 : 1));
                }
                check_pulled(place(one, Collective::broadcast, root));
                check_pulled(place(dual(one), Collective::reduce, root));
            }
        }
    }
}

TEST_CASE("one block of a pattern on a torus is that block wherever the torus takes it") {
    const std::vector<int> mesh{3, 4};
    const Pattern all = algorithm::torus_allgather_pattern(mesh);
    for (int block = 0; block < 12; ++block) {
        const Pattern one = restrict_to_block(all, block);
        for (int rank = 0; rank < 12; ++rank) {
            const auto list = one.received_by(rank);
            REQUIRE(list.size() == (rank == block ? 0 : 1));
            // Along the row of the block first (three rounds), then down the columns.
            if (rank != block && rank / 4 == block / 4) {
                CHECK(list.front().round == (rank - block + 4) % 4 - 1);
            } else if (rank != block) {
                CHECK(list.front().round == 3 + (rank / 4 - block / 4 + 3) % 3 - 1);
                CHECK(list.front().from % 4 == rank % 4);
            }
        }
        check_pulled(place(one, Collective::broadcast, block));
    }
}

TEST_CASE("what a member has is not sent to it again") {
    for (int ranks = 1; ranks <= 20; ++ranks) {
        for (int root = 0; root < ranks; ++root) {
            const Pattern gather = allgather(ranks);
            const Pattern scatter = reverse(restrict_to_root(gather, root));
            const Pattern both = without_repeats(then(scatter, gather), root);
            CAPTURE(ranks);
            CAPTURE(root);
            for (int rank = 0; rank < ranks; ++rank) {
                std::vector<int> times(static_cast<std::size_t>(ranks), 0);
                for (const Transfer& transfer : both.received_by(rank)) {
                    for (int i = 0; i < transfer.blocks.count; ++i) {
                        ++times[static_cast<std::size_t>(wrap(transfer.blocks.first + i, ranks))];
                    }
                }
                CHECK(times == std::vector<int>(static_cast<std::size_t>(ranks), rank == root ? 0 : 1));
            }
            check_pulled(place(both, Collective::broadcast, root));
        }
    }
}

TEST_CASE("of an allreduce only what the root needs is a reduction") {
    for (int ranks = 1; ranks <= 12; ++ranks) {
        for (int root = 0; root < ranks; ++root) {
            const Pattern gather = allgather(ranks);
            const Pattern reduce = restrict_to_root(then(dual(gather), gather), root);
            check_pulled(place(reduce, Collective::reduce, root));
            long received = 0;
            for (const Transfer& transfer : reduce.received_by(root)) {
                received += transfer.blocks.count;
            }
            CHECK(received == 2L * (ranks - 1));
        }
    }
}

TEST_CASE("the dual keeps rank order where every member has a list of its own") {
    for (int ranks = 1; ranks <= 20; ++ranks) {
        for (int root = 0; root < ranks; ++root) {
            const Pattern tree = algorithm::tree_broadcast_pattern(ranks, root);
            const Synchronised plan =
                synchronise(place(dual(tree), Collective::reduce, root), Protocol::zero_copy);
            const auto report = verify::verify(plan, verify::Requirement::rank_order);
            CHECK_MESSAGE(report.ok(), report.text());
        }
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
