#pragma once

#include <span>
#include <vector>

namespace tutti::graph {

/// RankRange first, first + 1, ..., first + count - 1.
struct RankRange {
    int first = 0;
    int count = 0;

    bool has(int rank) const { return rank >= first && rank < first + count; }

    friend bool operator==(const RankRange&, const RankRange&) = default;
};

/// A machine as a tree of groups of ranks, each of consecutive ranks: level 0 is one group of all, the groups
/// of every further level divide those of the one before, and in the last level every rank is a group. A
/// level that divides nothing is none. One rank has level 0 only.
class LevelTree {
public:
    /// Equal groups, by the children of a group, outermost level first: {2, 8, 8} are 2 groups of 8 groups of
    /// 8 ranks. Throws std::invalid_argument when there is a size below 1.
    static LevelTree equal(std::span<const int> sizes);
    /// Any groups: for each level between the first and the last, outermost first, the ranks in each of its
    /// groups, in rank order. Throws std::invalid_argument when a level does not divide the groups of the one
    /// before, or has other ranks than `ranks`.
    static LevelTree nested(int ranks, const std::vector<std::vector<int>>& levels);
    /// The groups that are in the same part of a machine: for each level, outermost first, the part that each
    /// rank is in. A level is left out if the ranks of a part do not follow each other, or if it does not
    /// divide the groups of the one before. Throws std::invalid_argument when a level has other ranks than
    /// `ranks`.
    static LevelTree of_parts(int ranks, const std::vector<std::vector<int>>& parts);

    int ranks() const { return first_.front().back(); }
    /// The number of the last level.
    int last() const { return static_cast<int>(first_.size()) - 1; }

    int groups(int level) const { return static_cast<int>(first_[index(level)].size()) - 1; }
    RankRange group(int level, int number) const {
        const auto first = first_[index(level)].begin() + number;
        return {first[0], first[1] - first[0]};
    }
    /// The number of the group of this level that has the rank.
    int group_of(int level, int rank) const { return group_of_[index(level)][index(rank)]; }
    /// The numbers, in the next level, of the groups that a group is divided into.
    RankRange children(int level, int number) const;
    /// The first rank of each of these, and the one after the last of all: an argument for cut().
    std::span<const int> firsts_of_children(int level, int number) const;

    /// The children of each group, outermost level first, if all groups of a level have equally many; else
    /// empty. One rank has none.
    std::vector<int> dimensions() const;

    /// Whether every group is a subtree of the butterfly's tree over all ranks (see cut): whether operands
    /// that are combined group by group are associated as they are without groups.
    bool is_aligned() const;
    /// The same levels with each group cut into the largest such subtrees within it: what stays within a
    /// group still does.
    LevelTree aligned() const;

    /// The same ranks without one of the levels between the first and the last.
    LevelTree without(int level) const;

    /// The same ranks with as many levels more as it takes for no group to have more than `most` children, a
    /// power of two. Equal children come together in equal numbers if possible; others as by cut(). An
    /// aligned tree stays so.
    LevelTree split(int most) const;

    friend bool operator==(const LevelTree&, const LevelTree&) = default;

private:
    using Level = std::vector<int>;

    LevelTree(int ranks, const std::vector<Level>& between);
    /// The first ranks of the groups of all levels between the first and the last.
    std::vector<Level> between() const { return {first_.begin() + 1, first_.end() - (last() > 0 ? 1 : 0)}; }
    static std::size_t index(int number) { return static_cast<std::size_t>(number); }
    void divide(int level, int number, int most, Level& between) const;

    /// For each level the first rank of each group, and the number of ranks.
    std::vector<Level> first_;
    /// For each level and rank its group.
    std::vector<Level> group_of_;
};

/// The run of operands at which the butterfly's reduction tree cuts n operands in two: the left part has the
/// largest power of two below n, and each part is cut in the same way. `firsts` lists the first operand of
/// each of two or more runs of operands, and the end of the last run; the result is the first run on the
/// right. If no run starts at the cut, the runs are cut as if each were one operand.
int cut(std::span<const int> firsts);

} // namespace tutti::graph
