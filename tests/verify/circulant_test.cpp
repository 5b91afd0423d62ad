#include "algorithm/families.hpp"
#include "algorithm/registry.hpp"
#include "cost/count.hpp"
#include "graph/circulant.hpp"
#include "messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

// The worked cases of Träff et al. 2023, as far as they concern what is registered.

using namespace tutti;
using schedule::Collective;
using schedule::Schedule;
using test::messages;

namespace {

Schedule made(Collective collective, int ranks, int root = 0) {
    const algorithm::Algorithm* row = algorithm::find(collective, "circulant");
    REQUIRE(row != nullptr);
    return row->make(ranks, root);
}

/// The skips of Listing 1, which count up: skips[q] = p.
std::vector<int> ascending(int ranks) {
    auto skips = graph::skips(ranks, graph::Skips::halving);
    std::ranges::reverse(skips);
    return skips;
}

} // namespace

TEST_CASE("Fig. 1: the circulant graph of p = 11 has the edges of skips 1, 2, 3 and 6") {
    CHECK(ascending(11) == std::vector<int>{1, 2, 3, 6, 11});
    std::set<int> senders;
    const Schedule allgather = made(Collective::allgather, 11);
    for (int round = 0; round < allgather.rounds(); ++round) {
        for (const auto& [pair, blocks] : messages(allgather, round)) {
            if (pair.second == 0) {
                senders.insert(pair.first);
            }
        }
    }
    CHECK(senders == std::set<int>{1, 2, 3, 6});
}

TEST_CASE("skips of p = 9, of the example in section III-D, and Lemma 1 for every p") {
    CHECK(ascending(9) == std::vector<int>{1, 2, 3, 5, 9});
    for (int ranks = 2; ranks <= 1000; ++ranks) {
        const auto skips = ascending(ranks);
        CAPTURE(ranks);
        REQUIRE(skips[1] == 2);
        for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
            REQUIRE(skips[k + 1] <= 2 * skips[k]);
            REQUIRE(2 * skips[k] <= skips[k + 1] + 1);
        }
    }
}

TEST_CASE(
    "Prop. 3: the allgather receives skips[k + 1] - skips[k] blocks in round k, half of p in the last") {
    for (int ranks = 2; ranks <= 64; ++ranks) {
        const auto skips = ascending(ranks);
        const Schedule allgather = made(Collective::allgather, ranks);
        CAPTURE(ranks);
        REQUIRE(allgather.rounds() == static_cast<int>(skips.size()) - 1);
        for (int round = 0; round < allgather.rounds(); ++round) {
            const auto k = static_cast<std::size_t>(round);
            const auto found = messages(allgather, round);
            CHECK(found.size() == static_cast<std::size_t>(ranks));
            for (const auto& [pair, blocks] : found) {
                CHECK(pair.first == (pair.second + skips[k]) % ranks);
                CHECK(blocks == skips[k + 1] - skips[k]);
            }
        }
        CHECK(messages(allgather, allgather.rounds() - 1).begin()->second == ranks / 2);
    }
}

TEST_CASE("section III-C: in a reduction to a root every other member sends exactly once") {
    for (int ranks = 1; ranks <= 40; ++ranks) {
        for (const int root : {0, ranks / 2, ranks - 1}) {
            const Schedule reduce = made(Collective::reduce, ranks, root);
            const auto sent = cost::tally(reduce).sent;
            CAPTURE(ranks);
            CAPTURE(root);
            CHECK(reduce.rounds() == std::max(graph::rounds_log2(ranks), 1));
            for (int rank = 0; rank < ranks; ++rank) {
                CHECK(sent[static_cast<std::size_t>(rank)] == (rank == root ? 0 : 1));
            }
        }
    }
}

TEST_CASE("section III-F: the gather is the allgather without what the root does not need") {
    for (int ranks = 2; ranks <= 32; ++ranks) {
        const Schedule allgather = made(Collective::allgather, ranks);
        for (const int root : {0, ranks / 3, ranks - 1}) {
            const Schedule gather = made(Collective::gather, ranks, root);
            CAPTURE(ranks);
            CAPTURE(root);
            for (int round = 0; round < gather.rounds(); ++round) {
                const auto all = messages(allgather, round);
                for (const auto& [pair, blocks] : messages(gather, round)) {
                    REQUIRE(all.contains(pair));
                    CHECK(blocks <= all.at(pair));
                }
            }
            CHECK(cost::tally(gather).received[static_cast<std::size_t>(root)] == ranks - 1);
        }
    }
}
