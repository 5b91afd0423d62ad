#pragma once

#include "algorithm/levels/levels.hpp"
#include "algorithm/registry.hpp"

#include <string_view>

namespace tutti::algorithm::rows {

// Collectives over the levels of the machine on which a group runs. If nothing is known of it, all ranks are
// one group, which is split into groups of at most eight.

template <Acting acting, Collective collective>
schedule::Schedule on_levels(const graph::LevelTree& tree, int root) {
    return levels(collective, tree_to_run_on(acting, collective, tree), acting, root);
}

template <Acting acting, Collective collective>
schedule::Schedule on_one_group(int p, int root) {
    return on_levels<acting, collective>(graph::LevelTree::nested(p, {}), root);
}

template <Acting acting, Collective collective>
constexpr Algorithm levels_row(CostTerms (*cost)(int, int), Bound bound, long (*scratch)(int, int)) {
    constexpr std::string_view names[] = {"levels-exchange", "levels-shares", "levels-leaders",
                                          "levels-direct"};
    constexpr bool needs_equal_groups = acting == Acting::exchange && collective == Collective::alltoall;
    // Results are stored to all of a group, or those of a reduction by their owners to the root.
    constexpr bool stores_to_others =
        acting == Acting::direct || (acting == Acting::shares && collective == Collective::reduce);
    return {.name = names[static_cast<std::size_t>(acting)],
            .collective = collective,
            .order = detail::traits_of(collective).reduces() ? Order::canonical : Order::none,
            .ranks = needs_equal_groups ? Ranks::powers_of_two : Ranks::any,
            .protocols = protocols_of(acting, collective),
            .make = on_one_group<acting, collective>,
            .cost = cost,
            .bound = bound,
            .scratch = scratch,
            .source = "levels of the machine, docs/traffic.md",
            .reach = stores_to_others ? Reach::everybody : Reach::peers,
            .make_on = on_levels<acting, collective>};
}

} // namespace tutti::algorithm::rows
