#include "algorithm/algorithms.hpp"
#include "algorithm/bracketed.hpp"
#include "schedule/recorder.hpp"

#include <vector>

namespace tutti::algorithm {

using graph::LevelTree;
using graph::RankRange;
using schedule::Place;
using schedule::Recorder;
using schedule::Space;

namespace {

constexpr schedule::Blocks vector{0, 1};
constexpr Space temporary[] = {Space::scratch2};

/// The children of a group, as operands: their first ranks, which have their sums, and where these lie.
struct Children {
    std::vector<int> firsts;
    std::vector<Place> sums;
};

/// Where the first rank of a group has the group's sum: its own vector, or in turn one of two, as others read
/// the sum of a child in the round in which the sum of the group is made.
Place sum_of(const LevelTree& tree, int level, int number) {
    const RankRange group = tree.group(level, number);
    int sums = 0;
    for (int inner = level; inner < tree.last(); ++inner) {
        sums += tree.children(inner, tree.group_of(inner, group.first)).count > 1 ? 1 : 0;
    }
    return {group.first,
            sums == 0       ? Space::input
            : sums % 2 == 1 ? Space::scratch0
                            : Space::scratch1,
            vector};
}

/// Whether anybody needs the sum of a group: whoever comes after it, in its parent or further out.
bool is_summed(const LevelTree& tree, int level, int number) {
    for (; level > 0; --level) {
        const int parent = tree.group_of(level - 1, tree.group(level, number).first);
        const RankRange siblings = tree.children(level - 1, parent);
        if (number + 1 < siblings.first + siblings.count) {
            return true;
        }
        number = parent;
    }
    return false;
}

Children children_of(const LevelTree& tree, int level, int number) {
    const RankRange numbers = tree.children(level, number);
    Children children;
    for (int child = numbers.first; child < numbers.first + numbers.count; ++child) {
        children.firsts.push_back(tree.group(level + 1, child).first);
        children.sums.push_back(sum_of(tree, level + 1, child));
    }
    const RankRange group = tree.group(level, number);
    children.firsts.push_back(group.first + group.count);
    return children;
}

} // namespace

// Invariant: after a level, innermost first, the first rank of each of its groups has the group's sum, and
// every rank in its output the sum of the ranks of its group up to its own. To the next level's sum it
// prepends those of the siblings before its group, the nearest first, as it would on a hypercube.
//
// A sum of four operands takes one place besides the result's: scratch2, as the other two are for sums.
schedule::Schedule levels_scan(const LevelTree& whole, Inclusion inclusion) {
    constexpr int most_summands = 4;
    const LevelTree tree = whole.split(most_summands);
    const bool inclusive = inclusion == Inclusion::inclusive;
    const auto ranks = static_cast<std::size_t>(tree.ranks());
    std::vector<Recorder> recorders(ranks);
    // What has no round yet is in the input where the own operand counts.
    std::vector<Place> current(ranks);
    std::vector<char> has_current(ranks, inclusive ? 1 : 0);
    for (int rank = 0; rank < tree.ranks(); ++rank) {
        current[static_cast<std::size_t>(rank)] = {rank, Space::input, vector};
    }
    for (int level = tree.last(); level-- > 0;) {
        for (int number = 0; number < tree.groups(level); ++number) {
            const Children children = children_of(tree, level, number);
            const auto sum = [&](int child) { return children.sums[static_cast<std::size_t>(child)]; };
            const RankRange group = tree.group(level, number);
            for (int rank = group.first; rank < group.first + group.count; ++rank) {
                const auto index = static_cast<std::size_t>(rank);
                const Place output{rank, Space::output, vector};
                const int own = tree.group_of(level + 1, rank) - tree.children(level, number).first;
                Recorder& recorder = recorders[index].round();
                if (own > 0) {
                    Bracketed(recorder, children.firsts, output, temporary, sum)
                        .prepend_before(own, current[index], has_current[index] != 0);
                    current[index] = output;
                    has_current[index] = 1;
                } else if (rank == group.first && children.sums.size() > 1 &&
                           is_summed(tree, level, number)) {
                    Bracketed(recorder, children.firsts, sum_of(tree, level, number), temporary, sum)
                        .combine_all(0);
                }
            }
        }
    }
    if (tree.last() == 0) {
        recorders.front().round();
    }
    if (inclusive) {
        recorders.front().copy({0, Space::output, vector}, {0, Space::input, vector});
    }
    std::vector<schedule::Program> programs;
    programs.reserve(ranks);
    for (Recorder& recorder : recorders) {
        programs.push_back(recorder.take());
    }
    return {inclusive ? schedule::Collective::scan : schedule::Collective::exscan, tree.ranks(), 1,
            schedule::Symmetry::none, std::move(programs)};
}

} // namespace tutti::algorithm
