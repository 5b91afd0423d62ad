#include "algorithm/algorithms.hpp"
#include "cost/count.hpp"
#include "graph/circulant.hpp"
#include "schedule/place.hpp"
#include "verify/verify.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>
#include <vector>

using namespace tutti;
using namespace tutti::schedule;

namespace {

Pattern allgather(int ranks, graph::Skips kind = graph::Skips::halving) {
    return algorithm::circulant_allgather_pattern(ranks, graph::skips(ranks, kind));
}

constexpr graph::Skips kinds[] = {graph::Skips::halving, graph::Skips::power_of_two,
                                  graph::Skips::fully_connected, graph::Skips::square_root};

void check_pulled(const Schedule& schedule) {
    for (const Form form : {Form::separate, Form::in_place}) {
        const auto report = verify::verify(synchronise(schedule, form));
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
            CHECK(one.received_by(rank) == other.received_by(rank));
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
                CHECK(cost::count(gather, root).blocks == ranks - 1);

                const Schedule scatter = place(reverse(pattern), Collective::scatter, root);
                check_pulled(scatter);
                CHECK(cost::blocks_sent(scatter, root) == ranks - 1);
            }
        }
    }
}

TEST_CASE("a gather moves each block on along one path only") {
    const Schedule gather = place(restrict_to_root(allgather(16), 3), Collective::gather, 3);
    long received = 0;
    for (int rank = 0; rank < 16; ++rank) {
        received += cost::count(gather, rank).blocks;
        if (rank != 3) {
            CHECK(cost::blocks_sent(gather, rank) >= 1);
        }
    }
    // A binomial tree: each of 15 blocks travels as many edges as its distance has bits, 32 in all.
    CHECK(received == 32);
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
    CHECK_THROWS_AS(then(gather, allgather(9)), std::invalid_argument);
}
