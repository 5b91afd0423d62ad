// The worked cases of Träff et al. 2023, as far as they concern what is registered; trees that are split to
// combine; and the example of docs/guide.md: a graph family of one function.

#include "algorithm/graph_rows.hpp"
#include "algorithm/levels/levels.hpp"
#include "cost/count.hpp"
#include "graph/graphs.hpp"
#include "messages.hpp"
#include "schedule/synchronise.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using graph::LevelTree;
using Sizes = std::vector<int>;
using algorithm::Algorithm;
using schedule::Action;
using schedule::Protocol;
using schedule::Symmetry;
using schedule::Transfer;

namespace {

using schedule::Schedule;
using test::messages;

Schedule circulant(Collective collective, int ranks, int root = 0) {
    return test::made(collective, "circulant", ranks, root);
}

const Algorithm& uniform() {
    return *algorithm::find(Collective::reduce_scatter, "circulant-uniform");
}

/// The blocks that a member sends in a round, by the receiver's names.
struct Sending {
    int receiver = -1;
    std::multiset<int> blocks;
};

/// The blocks B that `sender` sends in each round of a schedule in which it has one receiver a round.
std::vector<Sending> sendings(const Schedule& schedule, int sender) {
    std::vector<Sending> rounds(static_cast<std::size_t>(schedule.rounds()));
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        const auto program = schedule.program(rank);
        for (std::size_t round = 0; round < rounds.size(); ++round) {
            for (const schedule::Move& move : program[round]) {
                const schedule::Place& from = move.has_right() ? move.right : move.left;
                if (rank == sender || from.member != sender) {
                    continue;
                }
                Sending& sending = rounds[round];
                REQUIRE((sending.receiver == -1 || sending.receiver == rank));
                sending.receiver = rank;
                for (int i = 0; i < from.blocks.count; ++i) {
                    sending.blocks.insert(schedule::wrap(from.blocks.first + i, schedule.blocks()));
                }
            }
        }
    }
    return rounds;
}

/// The skips of Listing 1, which count up: skips[q] = p.
std::vector<int> ascending(int ranks) {
    auto skips = graph::skips(ranks, graph::Skips::halving);
    std::ranges::reverse(skips);
    return skips;
}

TEST_CASE("Fig. 1: the circulant graph of p = 11 has the edges of skips 1, 2, 3 and 6") {
    CHECK(ascending(11) == std::vector<int>{1, 2, 3, 6, 11});
    std::set<int> senders;
    const Schedule allgather = circulant(Collective::allgather, 11);
    for (int round = 0; round < allgather.rounds(); ++round) {
        for (const auto& [pair, blocks] : messages(allgather, round)) {
            if (pair.second == 0) {
                senders.insert(pair.first);
            }
        }
    }
    CHECK(senders == std::set<int>{1, 2, 3, 6});
}

TEST_CASE("Prop. 3: the allgather receives skips[k + 1] - skips[k] blocks in round k") {
    for (int ranks = 2; ranks <= 64; ++ranks) {
        const auto skips = ascending(ranks);
        const Schedule allgather = circulant(Collective::allgather, ranks);
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
    }
}

TEST_CASE("section III-C: in a reduction to a root every other member sends exactly once") {
    for (int ranks = 1; ranks <= 40; ++ranks) {
        for (const int root : {0, ranks / 2, ranks - 1}) {
            const Schedule reduce = circulant(Collective::reduce, ranks, root);
            const auto sent = cost::tally(reduce).sent;
            INFO(ranks, " ranks, root ", root);
            CHECK(reduce.rounds() == std::max(graph::rounds_log2(ranks), 1));
            for (int rank = 0; rank < ranks; ++rank) {
                CHECK(sent[static_cast<std::size_t>(rank)] == (rank == root ? 0 : 1));
            }
        }
    }
}

TEST_CASE("section III-F: the gather is the allgather without what the root does not need") {
    for (int ranks = 2; ranks <= 32; ++ranks) {
        const Schedule allgather = circulant(Collective::allgather, ranks);
        for (const int root : {0, ranks / 3, ranks - 1}) {
            const Schedule gather = circulant(Collective::gather, ranks, root);
            INFO(ranks, " ranks, root ", root);
            for (int round = 0; round < gather.rounds(); ++round) {
                const auto all = messages(allgather, round);
                for (const auto& [pair, blocks] : messages(gather, round)) {
                    REQUIRE(all.contains(pair));
                    CHECK(blocks <= all.at(pair));
                }
            }
            if (ranks == 16) { // a binomial tree: a block travels as many edges as its distance has bits
                const auto received = cost::tally(gather).received;
                CHECK(std::accumulate(received.begin(), received.end(), 0L) == 32);
            }
        }
    }
}

TEST_CASE("section III-D: the blocks B that member 8 of 9 sends and receives in each round") {
    const Schedule schedule = uniform().make(9, 0);
    REQUIRE(schedule.rounds() == 4);
    const auto sent = sendings(schedule, 8);
    CHECK(sent[0].receiver == 7);
    CHECK(sent[0].blocks == std::multiset<int>{7, 6, 4, 0, 2, 5, 1, 3});
    CHECK(sent[1].receiver == 7);
    CHECK(sent[1].blocks == std::multiset<int>{7, 5, 1, 3});
    CHECK(sent[2].receiver == 6);
    CHECK(sent[2].blocks == std::multiset<int>{6, 2});
    CHECK(sent[3].receiver == 4);
    CHECK(sent[3].blocks == std::multiset<int>{4});
    // It receives from 0, 0, 1 and 3.
    CHECK(sendings(schedule, 0)[0].receiver == 8);
    CHECK(sendings(schedule, 0)[0].blocks == std::multiset<int>{8, 7, 5, 1, 3, 6, 2, 4});
    CHECK(sendings(schedule, 0)[1].receiver == 8);
    CHECK(sendings(schedule, 0)[1].blocks == std::multiset<int>{8, 6, 2, 4});
    CHECK(sendings(schedule, 1)[2].receiver == 8);
    CHECK(sendings(schedule, 1)[2].blocks == std::multiset<int>{8, 4});
    CHECK(sendings(schedule, 3)[3].receiver == 8);
    CHECK(sendings(schedule, 3)[3].blocks == std::multiset<int>{8});
}

TEST_CASE("Listing 5: the blocks of every round are those of the recursion, half of them sent on each time") {
    for (int ranks = 2; ranks <= 70; ++ranks) {
        CAPTURE(ranks);
        const auto skips = ascending(ranks);
        const auto rounds = skips.size() - 1;
        // B of round k, as distances from the sender.
        std::vector<std::multiset<int>> distances(rounds);
        for (std::size_t k = rounds; k-- > 0;) {
            const int jump = skips[k] - skips[k + 1] % 2;
            distances[k].insert(jump);
            for (std::size_t later = k + 1; later < rounds; ++later) {
                for (const int distance : distances[later]) {
                    distances[k].insert(jump + distance);
                }
            }
        }
        const auto sent = sendings(uniform().make(ranks, 0), 0);
        for (std::size_t k = 0; k < rounds; ++k) {
            std::multiset<int> expected;
            for (const int distance : distances[k]) {
                expected.insert(schedule::wrap(-distance, ranks));
            }
            CHECK(sent[k].blocks == expected);
            CHECK(sent[k].blocks.size() == std::size_t{1} << (rounds - 1 - k));
        }
    }
}

TEST_CASE("Prop. 2: q rounds and 2^q - 1 blocks for many members, too, with p - 1 reductions") {
    for (const int ranks : {257, 1000, 1023, 1024, 1025, 3072, 3073}) {
        CAPTURE(ranks);
        const Schedule schedule = uniform().make(ranks, 0);
        const auto tally = cost::tally(schedule);
        CHECK(tally.most() == uniform().cost(ranks, 0));
        CHECK(tally.most().blocks == (1L << graph::rounds_log2(ranks)) - 1);
        CHECK(tally.most_scratch() == uniform().scratch(ranks, 0));
        const auto report = verify::verify(schedule::synchronise(schedule, schedule::Protocol::in_place),
                                           verify::Requirement::identical);
        CHECK_MESSAGE(report.ok(), report.text());
    }
}

Sizes sizes(const LevelTree& tree, int level) {
    Sizes found;
    for (int number = 0; number < tree.groups(level); ++number) {
        found.push_back(tree.group(level, number).count);
    }
    return found;
}

TEST_CASE("equal groups of at most eight children stay as they are, larger ones are split") {
    const LevelTree small = LevelTree::equal(Sizes{2, 8, 8});
    CHECK(algorithm::split_to_combine(small) == small);
    CHECK(algorithm::split_to_combine(LevelTree::equal(Sizes{2, 64})) == small);
}

TEST_CASE("smaller groups come together before larger ones are combined") {
    const LevelTree tree = algorithm::split_to_combine(LevelTree::nested(12, {{4, 2, 2, 4}}));
    REQUIRE(tree.last() == 3);
    CHECK(sizes(tree, 1) == Sizes{4, 4, 4});
    CHECK(sizes(tree, 2) == Sizes{4, 2, 2, 4});
}

TEST_CASE("groups that make no equal parts are cut in two") {
    // (x_0 .. x_2) op x_3, where four operands alone are (x_0 op x_1) op (x_2 op x_3).
    const LevelTree tree = algorithm::split_to_combine(LevelTree::nested(9, {{2, 3, 3, 1}}));
    CHECK(sizes(tree, 1) == Sizes{8, 1});
    CHECK(sizes(tree, 2) == Sizes{2, 3, 3, 1});
}

// The example of docs/guide.md: a graph family of one function, and what follows from it.

struct Doubling {
    static constexpr algorithm::Ranks ranks = algorithm::Ranks::any;
    static long rounds(int p) { return graph::rounds_log2(p); }
    static schedule::Pattern allgather(int p) {
        std::vector<Transfer> received; // round, from, blocks, what to do with them
        int round = 0;
        for (int have = 1; have < p; have *= 2) { // blocks 0 .. have - 1 are here
            received.push_back({round++, have, {have, std::min(have, p - have)}, Action::copy});
        }
        return {p, p, round, Symmetry::rotation, {received}};
    }
};

long any_scratch(int p, int /*root*/) {
    return 2L * p;
}

algorithm::CostTerms scatter_counts(int p, int /*root*/) {
    return {Doubling::rounds(p), p / 2, 0};
}

using namespace algorithm::rows;

constexpr Algorithm family[] = {
    allgather_row<Doubling>("doubling", pulled, "test"),
    reduce_scatter_row<Doubling>("doubling", pulled, any_scratch, "test"),
    allreduce_row<Doubling>("doubling", pulled, "test"),
    gather_row<Doubling>("doubling", any_scratch, "test"),
    scatter_row<Doubling>("doubling", scatter_counts, any_scratch, "test"),
};

TEST_CASE("a graph family of one function has five collectives, proved for any number of ranks and root") {
    for (const Algorithm& row : family) {
        for (int ranks = 1; ranks <= 40; ++ranks) {
            for (int root = 0; root < (has_root(row) ? ranks : 1); root += 3) {
                INFO(std::string(to_string(row.collective)), ", ", ranks, " ranks, root ", root);
                const schedule::Schedule made = row.make(ranks, root);
                const algorithm::CostTerms counted = cost::tally(made).most();
                CHECK(counted.rounds == row.cost(ranks, root).rounds);
                CHECK(counted.reductions == row.cost(ranks, root).reductions);
                // The largest subtree of a scatter depends on where p lies between powers of two.
                if (row.collective != Collective::scatter) {
                    CHECK(counted.blocks == row.cost(ranks, root).blocks);
                }
                for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place}) {
                    const verify::Report report = verify::verify(synchronise(made, protocol),
                                                                 verify::requirement_of(row, made.ranks()));
                    CHECK_MESSAGE(report.ok(), report.text());
                }
            }
        }
    }
}

bool reads_inputs_of_others(const schedule::Schedule& made) {
    for (int rank = 0; rank < made.ranks(); ++rank) {
        const auto program = made.program(rank);
        for (std::size_t round = 0; round < program.size(); ++round) {
            const auto reads = [&](const schedule::Move& move) {
                return move.left.space == schedule::Space::input && move.left.member != rank;
            };
            if (std::ranges::any_of(program[round], reads)) {
                return true;
            }
        }
    }
    return false;
}

TEST_CASE("the rows that leave inputs unread are those in which nobody reads another's") {
    for (const Algorithm& row : algorithm::registry()) {
        // What those that follow levels read depends on these.
        const bool copies = row.order == algorithm::Order::none && row.collective != Collective::barrier &&
                            row.make_on == nullptr;
        for (int ranks = 2; copies && ranks <= 18; ++ranks) {
            if (takes(row, ranks)) {
                INFO(to_string(row.collective), " ", std::string(row.name), ", ", ranks, " ranks");
                CHECK(row.leaves_unread != reads_inputs_of_others(row.make(ranks, 1)));
            }
        }
    }
}

} // namespace
