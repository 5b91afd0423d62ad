#pragma once

#include "algorithm/registry.hpp"
#include "graph/level_tree.hpp"
#include "schedule/schedule.hpp"

#include <cstdint>
#include <string_view>

namespace tutti::algorithm {

// Collectives over a machine as a tree of groups: threads of a core, cores of an L3, and so on. On any tree
// as little as possible leaves a group of any level (docs/traffic.md).

/// Whether the schedules have a block for each rank, though members only copy or combine the blocks that they
/// need.
constexpr bool is_per_rank(Collective collective) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    return traits.gathers() || traits.scatters();
}

/// How members act for a group towards the other groups of its parent.
///
/// - exchange: everybody, with whole vectors. In each level, innermost first, a member combines those of its
///   counterparts in the sibling groups. One round a level; for short vectors; any groups, except for
///   all-to-alls equal ones.
/// - shares: everybody, for a share of the blocks. Reductions go from the innermost level outwards, so that
///   shares get smaller before they cross a longer way; copies go back. For long vectors; any groups.
/// - leaders: one member per group. The fewest cache lines cross; any groups.
/// - direct: everybody, for a share of the blocks, in the outermost groups alone: see levels_direct. For
///   vectors that lie in memory; any groups.
enum class Acting : std::uint8_t { exchange, shares, leaders, direct };

inline constexpr Acting all_ways_of_acting[] = {Acting::exchange, Acting::shares, Acting::leaders,
                                                Acting::direct};

std::string_view to_string(Acting acting);

/// Whether the collective can be carried out in this way on the tree: `exchange` are barriers, allreduces
/// and, on equal groups, all-to-alls, `shares` all except barriers and prefixes, `leaders` all except
/// all-to-alls and shifts, `direct` allreduces, reduce_scatters, allgathers and broadcasts. Barriers take no
/// tree that is so deep that members lack slots. Data with one receiver crosses as seldom as possible without
/// anybody in between, so gathers, scatters, all-to-alls and shifts in shares are those of `direct`.
bool takes(Acting acting, Collective collective, const graph::LevelTree& tree);

/// By which protocols, on trees that are not too deep (see below). Neither the exchange of whole vectors nor
/// prefixes can be done in place: members of the former write new vectors while others read the old ones, and
/// prefixes are written while inputs are read.
constexpr Protocols protocols_of(Acting acting, Collective collective) {
    using enum Collective;
    if (collective == alltoall || collective == shift) {
        const bool is_direct = acting == Acting::shares;
        return {.eager = is_direct,
                .pulled = true,
                .in_place = false,
                .one_hop = is_direct && collective == alltoall,
                .shared = false};
    }
    return {.eager = acting != Acting::shares && acting != Acting::direct && !is_per_rank(collective),
            .pulled = collective != barrier,
            .in_place = acting != Acting::exchange && !detail::traits_of(collective).is_prefix() &&
                        collective != barrier,
            .one_hop = false,
            .shared = false};
}

/// The same on this tree: eager are those of one block, while the tree is not so deep that members lack
/// slots.
Protocols protocols_of(Acting acting, Collective collective, const graph::LevelTree& tree);

/// The schedule, with groups of more children than a member combines in a round split. `root`
/// is the root of a rooted collective and the distance of a shift.
///
/// Operands are combined in rank order, with one association for all blocks and members: in a group of any
/// level its children's results are cut by graph::cut. On an aligned tree (LevelTree::is_aligned) that is the
/// butterfly's tree over all ranks, whatever the groups: a group is a subtree, so are its children, and of
/// subtrees that make up a larger one none goes across its cut. With prefixes it is the butterfly's tree over
/// the ranks that a result is of.
///
/// Throws std::invalid_argument when the way does not take the collective.
schedule::Schedule levels(Collective collective, const graph::LevelTree& tree, Acting acting, int root = 0);

/// The tree on which groups that have been given `tree`, whatever it is, carry out a collective: one that the
/// way takes, in all protocols of the way, and aligned if operands are combined. Levels that are too deep for
/// the slots are left out, innermost first. If an all-to-all by exchange finds unequal groups, all are one
/// group, which it takes among powers of two.
graph::LevelTree tree_to_run_on(Acting acting, Collective collective, graph::LevelTree tree);

} // namespace tutti::algorithm
