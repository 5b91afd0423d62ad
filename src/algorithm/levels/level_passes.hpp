#pragma once

#include "graph/level_tree.hpp"
#include "schedule/recorder.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <vector>

namespace tutti::algorithm {

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
    void spread();
    /// The owners of all store their results to the root, in one round.
    void to_root();
    /// Innermost first, a block goes from the root to the owner of all by way of the owners of the groups
    /// that have the root, so that it need not come to these groups again.
    void from_root();
    /// The blocks of a group's ranks go to the owner of the group, innermost first, or back. For one owner of
    /// all blocks.
    void collect();
    void deal();

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

} // namespace tutti::algorithm
