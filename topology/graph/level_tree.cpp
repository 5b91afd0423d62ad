#include "graph/level_tree.hpp"

#include "graph/graphs.hpp"

#include <tutti/detail/association.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>

namespace tutti::graph {

namespace {

constexpr int most_ranks = 65535;

/// How many of so many children of equal size come together.
int run_length(int children, int most) {
    for (int length = most; length > 1; length /= 2) {
        if (children % length == 0 && children / length <= most) {
            return length;
        }
    }
    return most;
}

/// Whether the butterfly's tree over `ranks` ranks has a subtree of just these.
bool is_subtree(RankRange group, int ranks) {
    const auto size = static_cast<int>(std::bit_ceil(static_cast<unsigned>(group.count)));
    return group.first % size == 0 && group.count == std::min(size, ranks - group.first);
}

/// Appends where the largest subtrees begin that `group` is made of, of the butterfly's tree over `tree`.
void append_aligned(RankRange group, RankRange tree, std::vector<int>& begins) {
    if (group.first <= tree.first && tree.first + tree.count <= group.first + group.count) {
        begins.push_back(tree.first);
        return;
    }
    const int left = detail::left_part(tree.count);
    if (group.first < tree.first + left) {
        append_aligned(group, {tree.first, left}, begins);
    }
    if (group.first + group.count > tree.first + left) {
        append_aligned(group, {tree.first + left, tree.count - left}, begins);
    }
}

/// The starts of runs of equal parts, and the number of ranks; empty if a part has two runs.
std::vector<int> runs_of(const std::vector<int>& parts) {
    std::vector<int> begins;
    std::set<int> seen;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        if (rank > 0 && parts[rank] == parts[rank - 1]) {
            continue;
        }
        if (!seen.insert(parts[rank]).second) {
            return {};
        }
        begins.push_back(static_cast<int>(rank));
    }
    begins.push_back(static_cast<int>(parts.size()));
    return begins;
}

/// Appends where the largest parts begin that have at most so many runs, when runs are cut and cut again.
void append_subtrees(std::span<const int> firsts, int most, std::vector<int>& begins) {
    const std::size_t runs = firsts.size() - 1;
    if (runs <= static_cast<std::size_t>(most)) {
        begins.push_back(firsts.front());
        return;
    }
    const auto middle = static_cast<std::size_t>(cut(firsts));
    append_subtrees(firsts.subspan(0, middle + 1), most, begins);
    append_subtrees(firsts.subspan(middle), most, begins);
}

} // namespace

LevelTree LevelTree::equal(std::span<const int> sizes) {
    int ranks = 1;
    for (const int size : sizes) {
        if (size < 1 || size > most_ranks / ranks) {
            throw std::invalid_argument(
                "level tree: sizes must be at least 1, and their product at most 65535");
        }
        ranks *= size;
    }
    std::vector<Level> between;
    int groups = 1;
    for (const int size : sizes) {
        groups *= size;
        between.emplace_back(index(groups), ranks / groups);
    }
    return nested(ranks, between);
}

LevelTree LevelTree::nested(int ranks, const std::vector<Level>& levels) {
    if (ranks < 1 || ranks > most_ranks) {
        throw std::invalid_argument("level tree: needs 1 to 65535 ranks");
    }
    std::vector<Level> between;
    for (const Level& sizes : levels) {
        Level firsts{0};
        for (const int size : sizes) {
            if (size < 1 || size > ranks - firsts.back()) {
                throw std::invalid_argument("level tree: a level has a group below 1, or too many ranks");
            }
            firsts.push_back(firsts.back() + size);
        }
        if (firsts.back() != ranks) {
            throw std::invalid_argument("level tree: a level has too few ranks");
        }
        if (!between.empty() && !std::ranges::includes(firsts, between.back())) {
            throw std::invalid_argument("level tree: a level does not divide the groups of the one before");
        }
        between.push_back(std::move(firsts));
    }
    return {ranks, between};
}

LevelTree LevelTree::of_parts(int ranks, const std::vector<std::vector<int>>& parts) {
    LevelTree tree = nested(ranks, {});
    for (const std::vector<int>& part_of_rank : parts) {
        if (part_of_rank.size() != index(ranks)) {
            throw std::invalid_argument("level tree: a level has other ranks");
        }
        std::vector<Level> between = tree.between();
        Level firsts = runs_of(part_of_rank);
        const bool divides = between.empty() || std::ranges::includes(firsts, between.back());
        if (!firsts.empty() && divides) {
            between.push_back(std::move(firsts));
            tree = LevelTree(ranks, between);
        }
    }
    return tree;
}

LevelTree::LevelTree(int ranks, const std::vector<Level>& between) : first_{{0, ranks}} {
    Level single(index(ranks) + 1);
    std::iota(single.begin(), single.end(), 0);
    for (const Level& firsts : between) {
        if (firsts != first_.back()) {
            first_.push_back(firsts);
        }
    }
    if (single != first_.back()) {
        first_.push_back(std::move(single));
    }
    for (const Level& firsts : first_) {
        Level groups;
        for (std::size_t number = 0; number + 1 < firsts.size(); ++number) {
            groups.resize(index(firsts[number + 1]), static_cast<int>(number));
        }
        group_of_.push_back(std::move(groups));
    }
}

RankRange LevelTree::children(int level, int number) const {
    const RankRange parent = group(level, number);
    const int first = group_of(level + 1, parent.first);
    return {first, group_of(level + 1, parent.first + parent.count - 1) + 1 - first};
}

std::span<const int> LevelTree::firsts_of_children(int level, int number) const {
    const RankRange inside = children(level, number);
    return std::span(first_[index(level + 1)]).subspan(index(inside.first), index(inside.count) + 1);
}

std::vector<int> LevelTree::dimensions() const {
    std::vector<int> dimensions;
    for (int level = 0; level < last(); ++level) {
        const int members = children(level, 0).count;
        for (int number = 0; number < groups(level); ++number) {
            if (children(level, number).count != members) {
                return {};
            }
        }
        dimensions.push_back(members);
    }
    return dimensions;
}

bool LevelTree::is_aligned() const {
    for (int level = 0; level < last(); ++level) {
        for (int number = 0; number < groups(level); ++number) {
            if (!is_subtree(group(level, number), ranks())) {
                return false;
            }
        }
    }
    return true;
}

LevelTree LevelTree::aligned() const {
    std::vector<Level> between;
    for (int level = 1; level < last(); ++level) {
        Level& firsts = between.emplace_back();
        for (int number = 0; number < groups(level); ++number) {
            append_aligned(group(level, number), group(0, 0), firsts);
        }
        firsts.push_back(ranks());
    }
    return {ranks(), between};
}

LevelTree LevelTree::without(int level) const {
    std::vector<Level> levels = between();
    levels.erase(levels.begin() + level - 1);
    return {ranks(), levels};
}

/// Appends the first ranks of the groups into which one of more than `most` children is divided.
void LevelTree::divide(int level, int number, int most, Level& between) const {
    const RankRange inside = children(level, number);
    const std::span<const int> firsts = firsts_of_children(level, number);
    const int size = firsts[1] - firsts[0];
    const auto is_equal = [&](std::size_t child) { return firsts[child + 1] - firsts[child] == size; };
    const int length = run_length(inside.count, most);
    for (std::size_t child = 0; child < index(inside.count); ++child) {
        if (child + 1 < index(inside.count) && !is_equal(child)) {
            return append_subtrees(firsts, most, between);
        }
    }
    for (std::size_t child = 0; child < index(inside.count); child += index(length)) {
        between.push_back(firsts[child]);
    }
}

LevelTree LevelTree::split(int most) const {
    if (most < 2 || !is_power_of_two(most)) {
        throw std::invalid_argument("level tree: groups are split by a power of two");
    }
    LevelTree tree = *this;
    for (int level = 0; level < tree.last();) {
        Level between;
        bool divides = false;
        for (int number = 0; number < tree.groups(level); ++number) {
            if (tree.children(level, number).count > most) {
                tree.divide(level, number, most, between);
                divides = true;
            } else {
                between.push_back(tree.group(level, number).first);
            }
        }
        between.push_back(ranks());
        if (!divides) {
            ++level;
            continue;
        }
        std::vector<Level> levels(tree.first_.begin() + 1, tree.first_.end());
        levels.insert(levels.begin() + level, std::move(between));
        tree = LevelTree(ranks(), levels);
    }
    return tree;
}

int cut(std::span<const int> firsts) {
    const int operand = firsts.front() + detail::left_part(firsts.back() - firsts.front());
    const auto run = std::ranges::lower_bound(firsts, operand);
    return *run == operand ? static_cast<int>(run - firsts.begin())
                           : detail::left_part(static_cast<int>(firsts.size()) - 1);
}

} // namespace tutti::graph
