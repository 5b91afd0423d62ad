#include "algorithm/algorithms.hpp"
#include "algorithm/levels/levels.hpp"

#include <algorithm>
#include <utility>

namespace tutti::algorithm {

using graph::LevelTree;
using graph::RankRange;
using schedule::Blocks;
using schedule::Place;
using schedule::Recorder;
using schedule::Space;

namespace {

std::vector<RankRange> outermost_groups(const LevelTree& tree) {
    if (tree.last() < 2) {
        return {{0, tree.ranks()}};
    }
    std::vector<RankRange> groups;
    groups.reserve(static_cast<std::size_t>(tree.groups(1)));
    for (int number = 0; number < tree.groups(1); ++number) {
        groups.push_back(tree.group(1, number));
    }
    return groups;
}

/// Groups of ranks, whose members share out the blocks of a vector among each other.
class Shares {
public:
    explicit Shares(std::vector<RankRange> groups) : groups_(std::move(groups)) {
        const auto is_as_large = [&](const RankRange& group) { return group.count == groups_.front().count; };
        // No group has more members than there are blocks.
        blocks_ = std::ranges::all_of(groups_, is_as_large) ? groups_.front().count
                                                            : groups_.back().first + groups_.back().count;
    }

    int groups() const { return static_cast<int>(groups_.size()); }
    const RankRange& group(int number) const { return groups_[static_cast<std::size_t>(number)]; }
    int blocks() const { return blocks_; }

    /// The member of the group that acts for the block.
    int owner(int number, int block) const {
        const RankRange members = group(number);
        return members.first + static_cast<int>(static_cast<long>(block) * members.count / blocks_);
    }

    /// The blocks from `first` on, before `end`, that have the owners of the first one in the groups from
    /// `from` on, before `until`.
    Blocks run(int first, int end, int from, int until) const {
        const auto have_same_owner = [&](int block) {
            for (int number = from; number < until; ++number) {
                if (owner(number, block) != owner(number, first)) {
                    return false;
                }
            }
            return true;
        };
        int last = first + 1;
        while (last < end && have_same_owner(last)) {
            ++last;
        }
        return {first, last - first};
    }

    /// All blocks that the member acts for in its group.
    Blocks of(int number, int rank) const {
        int first = 0;
        while (owner(number, first) != rank) {
            ++first;
        }
        return run(first, blocks_, number, number + 1);
    }

private:
    std::vector<RankRange> groups_;
    int blocks_ = 0;
};

/// The members of groups that act for the blocks of ranks: for one of the own group its rank, in others the
/// one at the same place, or at the place in proportion if groups differ in size.
class Counterparts {
public:
    Counterparts(const LevelTree& tree, const std::vector<RankRange>& groups)
        : groups_(groups), of_(static_cast<std::size_t>(tree.ranks())) {
        for (std::size_t number = 0; number < groups.size(); ++number) {
            for (int rank = groups[number].first; rank < groups[number].first + groups[number].count;
                 ++rank) {
                of_[static_cast<std::size_t>(rank)] = number;
            }
        }
    }

    std::size_t group_of(int rank) const { return of_[static_cast<std::size_t>(rank)]; }
    int owner(std::size_t number, int block) const {
        const RankRange& own = groups_[group_of(block)];
        const RankRange& group = groups_[number];
        return group.first + (block - own.first) * group.count / own.count;
    }
    /// Calls visit(block) for all blocks that the member acts for.
    template <class Visit>
    void for_each_block(int rank, Visit visit) const {
        for (int block = 0; block < static_cast<int>(of_.size()); ++block) {
            if (owner(group_of(rank), block) == rank) {
                visit(block);
            }
        }
    }

private:
    const std::vector<RankRange>& groups_;
    std::vector<std::size_t> of_;
};

template <class Visit>
void for_each_rank(const RankRange& group, Visit visit) {
    for (int rank = group.first; rank < group.first + group.count; ++rank) {
        visit(rank);
    }
}

std::vector<Place> inputs_of(const RankRange& members, Blocks blocks) {
    std::vector<Place> inputs;
    for_each_rank(members, [&](int member) { inputs.push_back({member, Space::input, blocks}); });
    return inputs;
}

/// Copies blocks to the outputs of all others of a group.
void copy_to_others(const RankRange& members, int rank, const Place& from, Recorder& recorder) {
    for_each_rank(members, [&](int member) {
        if (member != rank) {
            recorder.copy({member, Space::output, from.blocks}, from);
        }
    });
}

/// Combines the operands for all of a group.
void combine_for(const RankRange& members, int rank, const std::vector<Place>& operands, Recorder& recorder) {
    const Place result{rank, Space::output, operands.front().blocks};
    recorder.combine(result, operands);
    copy_to_others(members, rank, result, recorder);
}

/// Copies blocks of an input to the outputs of all of a group, the member's own first.
void copy_for(const RankRange& members, int rank, const Place& input, Recorder& recorder) {
    recorder.copy({rank, Space::output, input.blocks}, input);
    copy_to_others(members, rank, input, recorder);
}

void allreduce(const Shares& shares, int number, int rank, Recorder& recorder) {
    const RankRange& members = shares.group(number);
    const Blocks own = shares.of(number, rank);
    if (shares.groups() == 1) {
        return combine_for(members, rank, inputs_of(members, own), recorder);
    }
    recorder.combine({rank, Space::scratch0, own}, inputs_of(members, own));
    recorder.round();
    for (int block = own.first; block < own.first + own.count;) {
        const Blocks run = shares.run(block, own.first + own.count, 0, shares.groups());
        std::vector<Place> partials;
        partials.reserve(static_cast<std::size_t>(shares.groups()));
        for (int other = 0; other < shares.groups(); ++other) {
            partials.push_back({shares.owner(other, block), Space::scratch0, run});
        }
        combine_for(members, rank, partials, recorder);
        block += run.count;
    }
}

void reduce_scatter(const Counterparts& counterparts, const std::vector<RankRange>& groups, int rank,
                    Recorder& recorder) {
    const std::size_t own = counterparts.group_of(rank);
    counterparts.for_each_block(rank, [&](int block) {
        const Space space = block == rank ? Space::output : Space::scratch0;
        recorder.combine({rank, space, {block, 1}}, inputs_of(groups[own], {block, 1}));
    });
    if (groups.size() == 1) {
        return;
    }
    recorder.round();
    std::vector<Place> partials;
    for (std::size_t number = 0; number < groups.size(); ++number) {
        const Space space = number == own ? Space::output : Space::scratch0;
        partials.push_back({counterparts.owner(number, rank), space, {rank, 1}});
    }
    recorder.combine({rank, Space::output, {rank, 1}}, partials);
}

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

schedule::Schedule levels_direct(Collective collective, const LevelTree& tree, int root) {
    const std::vector<RankRange> groups = outermost_groups(tree);
    const Shares shares(groups);
    const Counterparts counterparts(tree, groups);
    const bool is_per_rank = collective == Collective::reduce_scatter || collective == Collective::allgather;
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < tree.ranks(); ++rank) {
        const std::size_t number = counterparts.group_of(rank);
        const RankRange& members = groups[number];
        Recorder recorder;
        recorder.round();
        if (collective == Collective::allreduce) {
            allreduce(shares, static_cast<int>(number), rank, recorder);
        } else if (collective == Collective::reduce_scatter) {
            reduce_scatter(counterparts, groups, rank, recorder);
        } else if (collective == Collective::allgather) {
            counterparts.for_each_block(rank, [&](int block) {
                copy_for(members, rank, {block, Space::input, {block, 1}}, recorder);
            });
        } else {
            copy_for(members, rank, {root, Space::input, shares.of(static_cast<int>(number), rank)},
                     recorder);
        }
        programs.push_back(recorder.take());
    }
    return {collective,
            tree.ranks(),
            is_per_rank ? tree.ranks() : shares.blocks(),
            schedule::Symmetry::none,
            std::move(programs),
            root};
}

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
