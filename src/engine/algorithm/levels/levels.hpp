#pragma once

#include "algorithm/registry.hpp"
#include "schedule/recorder.hpp"

#include <vector>

namespace tutti::algorithm {

// Collectives over a machine as a tree of groups: threads of a core, cores of an L3, and so on. On any tree
// as little as possible leaves a group of any level (docs/research/traffic.md).

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
/// - near: the same in groups of at most most_near members: more data comes into each group, but a member
///   waits for fewer flags. For vectors between those of `exchange` and of `direct`; any groups.
enum class Acting : std::uint8_t { exchange, shares, leaders, direct, near };

inline constexpr Acting all_ways_of_acting[] = {Acting::exchange, Acting::shares, Acting::leaders,
                                                Acting::direct, Acting::near};

/// The name of its rows.
constexpr std::string_view row_name(Acting acting) {
    constexpr std::string_view names[] = {"levels-exchange", "levels-shares", "levels-leaders",
                                          "levels-direct", "levels-near"};
    return names[static_cast<std::size_t>(acting)];
}

constexpr bool is_direct(Acting acting) {
    return acting == Acting::direct || acting == Acting::near;
}

/// The most members of a group of `near`. On published machines of 64 to 192 cores, the simulation finds 8 to
/// 24 the fastest from 512 B to 16 KiB.
inline constexpr int most_near = 16;

/// Whether the collective can be carried out in this way on the tree: `exchange` are barriers, allreduces
/// and, on equal groups, all-to-alls, `shares` all except barriers and prefixes, `leaders` all except
/// all-to-alls and shifts, `direct` and `near` allreduces, reduce_scatters, allgathers and broadcasts.
/// Barriers take no tree that is so deep that members lack slots. Data with one receiver crosses as seldom as
/// possible without anybody in between, so gathers, scatters, all-to-alls and shifts in shares are those of
/// `direct`.
bool takes(Acting acting, Collective collective, const graph::LevelTree& tree);

/// By which protocols, on trees that are not too deep (see below). Neither the exchange of whole vectors nor
/// prefixes can be done in place: members of the former write new vectors while others read the old ones, and
/// prefixes are written while inputs are read.
constexpr Protocols protocols_of(Acting acting, Collective collective) {
    using enum Collective;
    if (collective == alltoall || collective == shift) {
        const bool in_one_hop = acting == Acting::shares;
        return {.eager = in_one_hop,
                .pulled = true,
                .in_place = false,
                .one_hop = in_one_hop && collective == alltoall,
                .shared = false};
    }
    return {.eager = acting != Acting::shares && !is_direct(acting) && !is_per_rank(collective),
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

/// The most operands that one member combines in a round: flags are collected one after the other.
inline constexpr int most_operands = 8;

/// `tree` with as few levels more as it takes for the children of each group to be associated as so many
/// operands are, which is how a member combines them in one pass.
graph::LevelTree cut_to_combine(graph::LevelTree tree);

/// `tree` with its groups split so that a member may combine all children of a group in one pass: there are
/// no more than most_operands, and these are associated as so many operands are.
graph::LevelTree split_to_combine(const graph::LevelTree& tree);

/// The passes over a tree of groups of which `shares` and `leaders` (levels.hpp) are made, a round a level.
///
/// Each group has an owner of every block, the member that acts for it. The owner in the outermost group is
/// given for each block. If a child contains its parent's owner, it has the same owner; the other children
/// have the member at the same place in them, or at the place in proportion if groups differ in size. So
/// members of equal groups share their work equally if the owners in the outermost group do.
class LevelPasses {
public:
    /// For each block the owner of all; the tree must outlive it.
    LevelPasses(const graph::LevelTree& tree, Collective collective, std::vector<int> owners, int root);

    /// Innermost first, the owner of a group combines the results of its children's owners in one pass, on a
    /// tree that is split_to_combine. Then the owners of all have the results.
    void combine();
    /// Outermost first, the owner of a group has its children's owners copy.
    void spread() { pass(Direction::inwards, false); }
    /// The owners of all store their results to the root, in one round.
    void to_root();
    /// Innermost first, a block goes from the root to the owner of all by way of the owners of the groups
    /// that have the root, so that it need not come to these groups again.
    void from_root();
    /// The blocks of a group's ranks go to the owner of the group, innermost first, or back. For one owner of
    /// all blocks.
    void collect() { pass(Direction::outwards, true); }
    void deal() { pass(Direction::inwards, true); }

    schedule::Schedule take();

private:
    /// A member's target for blocks, and the places from which it takes the same blocks.
    struct Operands {
        schedule::Place to;
        std::vector<schedule::Place> from;
        friend bool operator==(const Operands&, const Operands&) = default;
    };

    std::size_t cell(int rank, int block) const {
        return static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block);
    }
    int owner(int level, int group, int block) const {
        return owners_[static_cast<std::size_t>(level)]
                      [static_cast<std::size_t>(group) * blocks_ + static_cast<std::size_t>(block)];
    }
    int block_count() const { return static_cast<int>(blocks_); }
    void find_owners();
    void copy_own();
    void begin_round();
    /// The place of a block at a member now, and the one to which it goes when it comes or is combined; both
    /// without the block.
    schedule::Place now(int rank, int block) const;
    schedule::Place result(int rank, int block) const;
    /// Calls record(operands) for runs of the blocks begin .. end - 1 that have the same operands.
    /// describe(block, operands) fills in those of a block, and is false if there is nothing to do.
    template <class Describe, class Record>
    void for_each_run(int begin, int end, Describe describe, Record record);
    template <class Describe>
    void copy_runs(int begin, int end, Describe describe);
    bool describe_copy(int to, int from, int block, Operands& operands) const;
    enum class Direction : std::uint8_t { inwards, outwards };
    /// Level by level, blocks go from the owner of each group to those of its children, or back: all blocks,
    /// or those of the child's ranks.
    void pass(Direction direction, bool own_blocks);
    void combine_group(int level, int number);

    const graph::LevelTree& tree_;
    Collective collective_;
    int root_;
    std::size_t blocks_;
    /// For each level, group and block.
    std::vector<std::vector<int>> owners_;
    std::vector<schedule::Recorder> recorders_;
    /// Whether a pass has taken the first round, in which members copy their own blocks.
    bool begun_ = false;
    /// For each member and block its place, and whether its content is the call's result.
    std::vector<schedule::Space> where_;
    std::vector<char> done_;
};

/// Allreduces, reduce_scatters, allgathers and broadcasts by the outermost groups of a tree that is
/// cut_to_combine if they reduce: each member acts for some blocks in its group. In one pass it combines the
/// group's operands of these blocks into scratch. In another pass it combines its counterparts' partial
/// results of all groups, for all of the group or for itself. Copies come from the original, once into each
/// group, and are stored to all of it. So inputs are read and outputs written once, as by `direct`, and
/// (g - 1) vectors come into each of g groups in an allreduce, which is the minimum for two groups.
schedule::Schedule levels_direct(Collective collective, const graph::LevelTree& tree, int root);

} // namespace tutti::algorithm
