#include "algorithm/split_to_combine.hpp"

#include <tutti/detail/association.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tutti::algorithm {

using graph::LevelTree;

namespace {

/// Whether so many children are associated as so many operands are, which is how a member combines them.
bool is_one_tree(std::span<const int> firsts) {
    const int operands = static_cast<int>(firsts.size()) - 1;
    if (operands < 3) {
        return true;
    }
    const auto cut = static_cast<std::size_t>(graph::cut(firsts));
    return static_cast<int>(cut) == detail::left_part(operands) && is_one_tree(firsts.first(cut + 1)) &&
           is_one_tree(firsts.subspan(cut));
}

using Sizes = std::vector<int>;

Sizes sizes_of_groups(const LevelTree& tree, int level) {
    Sizes sizes;
    for (int number = 0; number < tree.groups(level); ++number) {
        sizes.push_back(tree.group(level, number).count);
    }
    return sizes;
}

/// Appends the sizes of the largest subtrees of at most so many ranks, or of one child, that the children
/// make.
void append_subtrees(std::span<const int> firsts, int most_ranks, Sizes& sizes) {
    const int ranks = firsts.back() - firsts.front();
    if (firsts.size() == 2 || ranks <= most_ranks) {
        sizes.push_back(ranks);
        return;
    }
    const auto cut = static_cast<std::size_t>(graph::cut(firsts));
    append_subtrees(firsts.first(cut + 1), most_ranks, sizes);
    append_subtrees(firsts.subspan(cut), most_ranks, sizes);
}

bool is_one_tree_of(int first, const Sizes& sizes) {
    std::vector<int> firsts{first};
    for (const int size : sizes) {
        firsts.push_back(firsts.back() + size);
    }
    return is_one_tree(firsts);
}

/// Into which parts a group comes whose children are not one tree: smaller ones come together until all are
/// as large as the largest, or else the group is cut in two.
Sizes parts_of(std::span<const int> firsts) {
    int largest = 0;
    for (std::size_t child = 1; child < firsts.size(); ++child) {
        largest = std::max(largest, firsts[child] - firsts[child - 1]);
    }
    Sizes sizes;
    append_subtrees(firsts, largest, sizes);
    if (sizes.size() + 1 < firsts.size() && is_one_tree_of(firsts.front(), sizes)) {
        return sizes;
    }
    const int cut = firsts[static_cast<std::size_t>(graph::cut(firsts))];
    return {cut - firsts.front(), firsts.back() - cut};
}

/// The groups of a level, of which those whose children are not one tree are divided.
Sizes divided_where_needed(const LevelTree& tree, int level) {
    Sizes sizes;
    for (int number = 0; number < tree.groups(level); ++number) {
        const std::span<const int> firsts = tree.firsts_of_children(level, number);
        const Sizes parts = is_one_tree(firsts) ? Sizes{firsts.back() - firsts.front()} : parts_of(firsts);
        sizes.insert(sizes.end(), parts.begin(), parts.end());
    }
    return sizes;
}

} // namespace

LevelTree cut_to_combine(LevelTree tree) {
    for (int level = 0; level < tree.last();) {
        Sizes divided = divided_where_needed(tree, level);
        if (divided == sizes_of_groups(tree, level)) {
            ++level;
            continue;
        }
        std::vector<Sizes> between;
        for (int other = 1; other < tree.last(); ++other) {
            between.push_back(sizes_of_groups(tree, other));
        }
        between.insert(between.begin() + level, std::move(divided));
        tree = LevelTree::nested(tree.ranks(), between);
    }
    return tree;
}

LevelTree split_to_combine(const LevelTree& tree) {
    return cut_to_combine(cut_to_combine(tree).split(most_operands));
}

} // namespace tutti::algorithm
