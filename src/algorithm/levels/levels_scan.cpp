#include "algorithm/algorithms.hpp"
#include "schedule/recorder.hpp"

#include <vector>

namespace tutti::algorithm {

using graph::LevelTree;
using graph::RankRange;
using schedule::Place;
using schedule::Recorder;
using schedule::Space;

namespace {

/// The place of a group's sum at its first rank: its own whole_vector, or in turn one of two, because others
/// read the sum of a child in the round in which the sum of the group is made.
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
            whole_vector};
}

/// Whether anybody needs the sum of a group: a member after it, in its parent or further out.
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

std::vector<Place> sums_of_children(const LevelTree& tree, int level, int number) {
    const RankRange children = tree.children(level, number);
    std::vector<Place> sums;
    for (int child = children.first; child < children.first + children.count; ++child) {
        sums.push_back(sum_of(tree, level + 1, child));
    }
    return sums;
}

/// The program and the partial result of every member so far.
struct Progress {
    std::vector<Recorder> recorders;
    /// The place of its result, if it has one: at first its own operand, if that counts.
    std::vector<Place> current;
    std::vector<char> has_current;
};

void add_group(Progress& progress, const LevelTree& tree, int level, int number) {
    const std::vector<Place> sums = sums_of_children(tree, level, number);
    const RankRange group = tree.group(level, number);
    for (int rank = group.first; rank < group.first + group.count; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const int own = tree.group_of(level + 1, rank) - tree.children(level, number).first;
        Recorder& recorder = progress.recorders[index].round();
        if (own > 0) {
            const Place output{rank, Space::output, whole_vector};
            std::vector<Place> operands(sums.begin(), sums.begin() + own);
            if (progress.has_current[index] != 0) {
                operands.push_back(progress.current[index]);
            }
            recorder.combine(output, operands);
            progress.current[index] = output;
            progress.has_current[index] = 1;
        } else if (rank == group.first && sums.size() > 1 && is_summed(tree, level, number)) {
            recorder.combine(sum_of(tree, level, number), sums);
        }
    }
}

} // namespace

// Invariant: after a level, innermost first, the first rank of each of its groups has the group's sum, and
// every rank in its output the sum of the ranks of its group up to its own. In the next level it prepends
// those of the siblings before its group, in one pass: where k siblings and what it has are associated as k +
// 1 operands are, they are combined nearest first, as on a hypercube.
schedule::Schedule levels_scan(const LevelTree& tree, Inclusion inclusion) {
    const bool inclusive = inclusion == Inclusion::inclusive;
    const auto ranks = static_cast<std::size_t>(tree.ranks());
    Progress progress{std::vector<Recorder>(ranks), {}, std::vector<char>(ranks, inclusive ? 1 : 0)};
    for (int rank = 0; rank < tree.ranks(); ++rank) {
        progress.current.push_back({rank, Space::input, whole_vector});
    }
    for (int level = tree.last(); level-- > 0;) {
        for (int number = 0; number < tree.groups(level); ++number) {
            add_group(progress, tree, level, number);
        }
    }
    Recorder& first = progress.recorders.front();
    if (tree.last() == 0) {
        first.round();
    }
    if (inclusive) {
        first.copy({0, Space::output, whole_vector}, {0, Space::input, whole_vector});
    }
    std::vector<schedule::Program> programs;
    programs.reserve(ranks);
    for (Recorder& recorder : progress.recorders) {
        programs.push_back(recorder.take());
    }
    return {inclusive ? Collective::scan : Collective::exscan, tree.ranks(), 1, schedule::Symmetry::none,
            std::move(programs)};
}

} // namespace tutti::algorithm
