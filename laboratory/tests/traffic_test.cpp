#include "algorithm/levels/levels.hpp"
#include "cost/count.hpp"
#include "cost/traffic.hpp"
#include "tests/test.hpp"

using namespace tutti;
using algorithm::Acting;
using cost::LevelTraffic;
using graph::LevelTree;
using schedule::Protocol;
using schedule::Schedule;
using Sizes = std::vector<int>;

namespace {

const LevelTree& sockets_of_64() {
    static const LevelTree tree = LevelTree::equal(Sizes{2, 8, 8});
    return tree;
}

std::vector<LevelTraffic> traffic_of(Schedule made, Protocol protocol, const LevelTree& tree) {
    return cost::traffic(schedule::synchronise(std::move(made), protocol), tree);
}

/// In vectors.
double vectors(long blocks, const Schedule& schedule) {
    return static_cast<double>(blocks) / schedule.blocks();
}

/// Trees of equal and of uneven groups.
std::vector<LevelTree> some_trees() {
    return {sockets_of_64(),
            LevelTree::equal(Sizes{3, 4}),
            LevelTree::equal(Sizes{16, 8}),
            LevelTree::equal(Sizes{5}),
            LevelTree::nested(13, {{9, 4}, {5, 4, 1, 3}}),
            LevelTree::nested(24, {{1, 10, 13}, {1, 3, 7, 6, 6, 1}}),
            LevelTree::nested(20, {{16, 4}, {8, 8, 4}})};
}

/// Calls use(made, counted, least) for every level of every tree.
template <class Use>
void for_each_level(Acting acting, Collective collective, Use use) {
    for (const LevelTree& tree : some_trees()) {
        for (const int root : {0, tree.ranks() / 2, tree.ranks() - 1}) {
            if (root != 0 && !detail::traits_of(collective).is_rooted() && collective != Collective::shift) {
                continue;
            }
            const Schedule made = levels(collective, tree, acting, root);
            const auto counted = traffic_of(made, Protocol::zero_copy, tree);
            REQUIRE(counted.size() == static_cast<std::size_t>(tree.last()));
            for (int level = 1; level <= tree.last(); ++level) {
                INFO(to_string(collective), ", ", tree.ranks(), " ranks, root ", root, ", level ", level);
                use(made, counted[static_cast<std::size_t>(level) - 1],
                    cost::least_traffic(collective, tree, level, root));
            }
        }
    }
}

/// Whether what crosses is the least that can, in all, and into and out of every group where that is so.
void check_least(const Schedule& made, const LevelTraffic& counted, const cost::LeastTraffic& least,
                 bool in_every_group) {
    CHECK(vectors(counted.total().blocks, made) == doctest::Approx(least.total));
    for (std::size_t group = 0; group < counted.groups.size(); ++group) {
        const double in = vectors(counted.groups[group].in.blocks, made);
        const double out = vectors(counted.groups[group].out.blocks, made);
        CHECK(in >= doctest::Approx(least.in[group]));
        CHECK(out >= doctest::Approx(least.out[group]));
        CHECK((!in_every_group || in == doctest::Approx(least.in[group])));
    }
}

} // namespace

TEST_CASE("blocks and slots are counted at every border between the two members") {
    const LevelTree tree = LevelTree::nested(5, {{3, 2}, {1, 2, 2}});
    using schedule::Blocks;
    using schedule::Place;
    using schedule::Space;
    // Member 1 reads two blocks of member 2 and one of member 4, this twice, and stores one to member 0.
    std::vector<schedule::Program> programs(5, schedule::Program(1));
    const auto at = [](int member, Space space, Blocks blocks) { return Place{member, space, blocks}; };
    programs[1] = {{{at(1, Space::scratch0, {0, 2}), at(2, Space::input, {0, 2}), {}, false},
                    {at(1, Space::scratch0, {2, 1}), at(4, Space::input, {2, 1}), {}, false},
                    {at(1, Space::scratch0, {2, 1}), at(4, Space::input, {2, 1}), {}, false},
                    {at(0, Space::output, {0, 1}), at(1, Space::scratch0, {0, 1}), {}, false}}};
    const Schedule made(Collective::allreduce, 5, 3, schedule::Symmetry::none, std::move(programs));
    const auto counted = cost::traffic({made, Protocol::zero_copy, {{}, {{0, 4, 1}}, {}, {}, {}}, {}}, tree);
    REQUIRE(counted.size() == 3);
    // Slots: the addresses of the three others, and the wait.
    CHECK(counted[0].groups[0] == cost::Border{{1, 2}, {0, 0}});
    CHECK(counted[0].groups[1] == cost::Border{{0, 0}, {1, 2}});
    CHECK(counted[1].groups[0] == cost::Border{{1, 0}, {0, 1}});
    CHECK(counted[1].groups[1] == cost::Border{{1, 3}, {1, 0}});
    CHECK(counted[2].groups[1] == cost::Border{{3, 4}, {1, 0}});
    CHECK(counted[2].groups[2] == cost::Border{{0, 0}, {2, 1}});
    CHECK(counted[2].total() == cost::Crossing{4, 4});
    CHECK_THROWS_AS(cost::traffic({made, Protocol::zero_copy, {}, {}}, sockets_of_64()),
                    std::invalid_argument);
}

TEST_CASE("what crosses the borders of single members is what they send and receive") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!takes(row, 12) || row.collective == Collective::barrier) {
            continue;
        }
        const Schedule made = row.make(12, has_root(row) ? 5 : 0);
        const Protocol protocol = takes(row, Protocol::zero_copy) ? Protocol::zero_copy : Protocol::eager;
        const auto counted = traffic_of(made, protocol, LevelTree::equal(Sizes{12}));
        const cost::Tally tally = cost::tally(made);
        INFO(to_string(row.collective), " ", row.name);
        CHECK(counted.front().most().in.blocks == tally.most().blocks);
        CHECK(counted.front().most().out.blocks == std::ranges::max(tally.sent));
    }
}

TEST_CASE("in shares and by leaders the fewest blocks cross all levels at once, on any tree") {
    using enum Collective;
    const auto check = [](Acting acting, std::initializer_list<Collective> collectives) {
        for (const Collective collective : collectives) {
            const bool copies = !detail::traits_of(collective).reduces();
            for_each_level(
                acting, collective,
                [&](const Schedule& made, const LevelTraffic& counted, const cost::LeastTraffic& least) {
                    check_least(made, counted, least, copies);
                });
        }
    };
    check(Acting::shares,
          {broadcast, allreduce, reduce_scatter, allgather, gather, scatter, alltoall, shift});
    check(Acting::leaders, {broadcast, reduce, allreduce, allgather});
}

TEST_CASE("a reduction in shares crosses every border once, and goes to the root from wherever it was made") {
    for_each_level(Acting::shares, Collective::reduce,
                   [&](const Schedule& made, const LevelTraffic& counted, const cost::LeastTraffic& least) {
                       const double total = vectors(counted.total().blocks, made);
                       CHECK(total >= doctest::Approx(least.total));
                       CHECK(total <= least.total + 1);
                   });
}

TEST_CASE("a block that is gathered or scattered by leaders crosses a border once for each level at most") {
    for (const Collective collective : {Collective::gather, Collective::scatter}) {
        for_each_level(
            Acting::leaders, collective,
            [&](const Schedule& made, const LevelTraffic& counted, const cost::LeastTraffic& least) {
                CHECK(vectors(counted.total().blocks, made) <= doctest::Approx(made.rounds() * least.total));
            });
    }
}

TEST_CASE("in two passes over the outermost groups each takes in what all others have, once") {
    for (const LevelTree& tree : {LevelTree::equal(Sizes{2, 8}), LevelTree::equal(Sizes{4, 4, 2}),
                                  LevelTree::nested(12, {{8, 4}}), LevelTree::nested(20, {{8, 8, 4}})}) {
        const Schedule made = levels(Collective::allreduce, tree, Acting::direct);
        CHECK(made.rounds() == 2);
        const LevelTraffic counted = traffic_of(made, Protocol::zero_copy, tree).front();
        for (const auto& group : counted.groups) {
            CHECK(vectors(group.in.blocks, made) == doctest::Approx(tree.groups(1) - 1));
        }
    }
}

TEST_CASE("128 members on 16 L3s: no port has a quarter more than the least that the busiest must have") {
    for (const LevelTree& tree : {sockets_of_64(), LevelTree::equal(Sizes{16, 8})}) {
        const Schedule shares = levels(Collective::allreduce, tree, Acting::shares);
        const int ports = tree.last() - 1;
        const LevelTraffic counted =
            traffic_of(shares, Protocol::zero_copy, tree)[static_cast<std::size_t>(ports) - 1];
        REQUIRE(counted.groups.size() == 16);
        const double busiest = cost::least_traffic(Collective::allreduce, tree, ports, 0).total / 16;
        CHECK(busiest == doctest::Approx(2 * 15.0 / 16));
        CHECK(vectors(counted.most().in.blocks, shares) <= 1.25 * busiest);
        CHECK(vectors(counted.most().out.blocks, shares) <= 1.25 * busiest);
    }
}

TEST_CASE("by leaders the fewest lines cross all levels at once") {
    for (const Collective collective :
         {Collective::barrier, Collective::broadcast, Collective::reduce, Collective::allreduce}) {
        for (const LevelTree& tree : some_trees()) {
            const auto counted = traffic_of(levels(collective, tree, Acting::leaders), Protocol::eager, tree);
            for (int level = 1; level <= tree.last(); ++level) {
                INFO(to_string(collective), ", ", tree.ranks(), " ranks, level ", level);
                const cost::Crossing total = counted[static_cast<std::size_t>(level) - 1].total();
                CHECK(lines(total, Protocol::eager, 8) ==
                      static_cast<double>(cost::least_traffic(collective, tree, level, 0).lines));
            }
        }
    }
}
