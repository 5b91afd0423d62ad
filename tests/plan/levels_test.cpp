#include "../test.hpp"
#include "algorithm/levels/levels.hpp"
#include "interpreter.hpp"

using namespace tutti;
using algorithm::Acting;
using graph::LevelTree;
using schedule::Protocol;
using Sizes = std::vector<int>;

namespace {

/// With two elements a block.
std::string interpreted(const schedule::Synchronised& plan, std::uint32_t seed) {
    const Collective collective = plan.schedule.collective();
    const auto blocks = static_cast<std::size_t>(plan.schedule.blocks());
    const bool moves = collective != Collective::barrier;
    return test::interpret(plan, {.partition = moves ? plan::Partition{2 * blocks, 2} : plan::Partition{},
                                  .in_place = plan.protocol == Protocol::in_place,
                                  .order = detail::traits_of(collective).reduces() ? algorithm::Order::rank
                                                                                   : algorithm::Order::none,
                                  .seed = seed});
}

} // namespace

TEST_CASE("plans of collectives on trees of groups do what the collective says") {
    const LevelTree trees[] = {LevelTree::equal(Sizes{1}),
                               LevelTree::equal(Sizes{2, 3}),
                               LevelTree::equal(Sizes{7}),
                               LevelTree::equal(Sizes{2, 2, 4}),
                               LevelTree::equal(Sizes{2, 8}),
                               LevelTree::equal(Sizes{3, 5}),
                               LevelTree::nested(13, {{9, 4}, {5, 4, 1, 3}}),
                               LevelTree::nested(20, {{8, 4, 4, 4}, {4, 2, 2, 4, 4, 4}}),
                               LevelTree::nested(11, {{1, 1, 8, 1}, {1, 1, 4, 4, 1}})};
    long plans = 0;
    for (const LevelTree& tree : trees) {
        for (const Acting acting : algorithm::all_ways_of_acting) {
            for (const Collective collective : detail::all_collectives) {
                if (!takes(acting, collective, tree)) {
                    continue;
                }
                CAPTURE(to_string(acting));
                CAPTURE(to_string(collective));
                CAPTURE(tree.ranks());
                const bool has_root = detail::traits_of(collective).takes_number();
                const schedule::Schedule made =
                    levels(collective, tree, acting, has_root ? tree.ranks() / 2 : 0);
                const algorithm::Protocols protocols = protocols_of(acting, collective, tree);
                for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place, Protocol::eager}) {
                    const bool is_taken = protocol == Protocol::zero_copy  ? protocols.pulled
                                          : protocol == Protocol::in_place ? protocols.in_place
                                                                           : protocols.eager;
                    if (is_taken) {
                        CAPTURE(protocol);
                        ++plans;
                        const auto seed = static_cast<std::uint32_t>(plans);
                        REQUIRE(interpreted(schedule::synchronise(made, protocol), seed) == "");
                    }
                }
            }
        }
    }
    CHECK(plans > 300);
}

TEST_CASE("plans of rows on any tree do what the collective says, and have slots for what is carried") {
    const LevelTree trees[] = {
        LevelTree::equal(Sizes{2, 2}),
        LevelTree::equal(Sizes{2, 2, 2, 2}),
        LevelTree::equal(Sizes{2, 3}),
        LevelTree::equal(Sizes{8, 2}),
        LevelTree::nested(13, {{9, 4}, {5, 4, 1, 3}}),
        LevelTree::nested(12, {{1, 11}, {1, 1, 10}, {1, 1, 1, 9}, {1, 1, 1, 1, 8}, {1, 1, 1, 1, 1, 7}})};
    std::uint32_t plans = 0;
    for (const LevelTree& tree : trees) {
        for (const algorithm::Algorithm& row : algorithm::registry()) {
            if (row.make_on == nullptr || !takes(row, tree.ranks())) {
                continue;
            }
            CAPTURE(row.name);
            CAPTURE(to_string(row.collective));
            CAPTURE(tree.ranks());
            const schedule::Schedule made = make(row, tree, has_root(row) ? 1 : 0);
            for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place, Protocol::eager}) {
                if (takes(row, protocol)) {
                    CAPTURE(protocol);
                    REQUIRE(interpreted(schedule::synchronise(made, protocol), ++plans) == "");
                }
            }
        }
    }
    CHECK(plans > 100);
}
