#include "algorithm/levels/levels.hpp"

#include <algorithm>
#include <utility>

namespace tutti::algorithm {

using graph::LevelTree;
using graph::RankRange;
using schedule::Place;
using schedule::Space;

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

bool combines(Collective collective) {
    return detail::traits_of(collective).reduces() || collective == Collective::barrier;
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

LevelPasses::LevelPasses(const graph::LevelTree& tree, Collective collective, std::vector<int> owners,
                         int root)
    : tree_(tree), collective_(collective), root_(root), blocks_(owners.size()),
      recorders_(static_cast<std::size_t>(tree.ranks())),
      where_(static_cast<std::size_t>(tree.ranks()) * blocks_, Space::input), done_(where_.size(), 0) {
    owners_.push_back(std::move(owners));
    find_owners();
    for (schedule::Recorder& recorder : recorders_) {
        recorder.round();
    }
    if (!combines(collective) || tree.ranks() == 1) {
        copy_own();
    }
}

void LevelPasses::find_owners() {
    for (int level = 0; level < tree_.last(); ++level) {
        std::vector<int> owners(static_cast<std::size_t>(tree_.groups(level + 1)) * blocks_);
        for (int number = 0; number < tree_.groups(level); ++number) {
            const RankRange children = tree_.children(level, number);
            for (int block = 0; block < block_count(); ++block) {
                const int whose = owner(level, number, block);
                const RankRange own = tree_.group(level + 1, tree_.group_of(level + 1, whose));
                for (int child = children.first; child < children.first + children.count; ++child) {
                    const RankRange group = tree_.group(level + 1, child);
                    const int place = (whose - own.first) * group.count / own.count;
                    owners[static_cast<std::size_t>(child) * blocks_ + static_cast<std::size_t>(block)] =
                        group.first + place;
                }
            }
        }
        owners_.push_back(std::move(owners));
    }
}

Place LevelPasses::now(int rank, int block) const {
    return {rank, where_[cell(rank, block)], {}};
}

Place LevelPasses::result(int rank, int block) const {
    const bool wanted = schedule::has_output(collective_, root_, rank, block, block_count() == tree_.ranks());
    return {rank, wanted ? Space::output : Space::scratch0, {}};
}

/// Copies the member's own blocks that the output needs, from the input in the first round.
void LevelPasses::copy_own() {
    for (int rank = 0; rank < tree_.ranks(); ++rank) {
        copy_runs(0, block_count(), [&](int block, Operands& operands) {
            const bool per_rank = block_count() == tree_.ranks();
            if (!schedule::has_input(collective_, root_, rank, block, per_rank)) {
                return false;
            }
            done_[cell(rank, block)] = 1;
            operands = {{rank, Space::output, {}}, {{rank, Space::input, {}}}};
            return schedule::has_output(collective_, root_, rank, block, per_rank);
        });
    }
}

void LevelPasses::begin_round() {
    for (schedule::Recorder& recorder : recorders_) {
        if (begun_) {
            recorder.round();
        }
    }
    begun_ = true;
}

template <class Describe, class Record>
void LevelPasses::for_each_run(int begin, int end, Describe describe, Record record) {
    Operands run;
    schedule::Blocks blocks;
    const auto flush = [&] {
        if (blocks.count > 0) {
            run.to.blocks = blocks;
            for (Place& place : run.from) {
                place.blocks = blocks;
            }
            record(run);
        }
        blocks.count = 0;
    };
    Operands next;
    for (int block = begin; block < end; ++block) {
        const bool is_any = describe(block, next);
        if (blocks.count > 0 && is_any && next == run) {
            ++blocks.count;
            continue;
        }
        flush();
        if (is_any) {
            run = next;
            blocks = {block, 1};
        }
    }
    flush();
}

template <class Describe>
void LevelPasses::copy_runs(int begin, int end, Describe describe) {
    for_each_run(begin, end, describe, [&](const Operands& run) {
        recorders_[static_cast<std::size_t>(run.to.member)].copy(run.to, run.from.front());
        const schedule::Blocks blocks = run.to.blocks;
        for (int block = blocks.first; block < blocks.first + blocks.count; ++block) {
            const std::size_t copied = cell(run.to.member, block);
            done_[copied] = done_[cell(run.from.front().member, block)];
            // Nobody reads from where a member copies its own until that is done.
            if (run.from.front().member != run.to.member) {
                where_[copied] = run.to.space;
            }
        }
    });
}

bool LevelPasses::describe_copy(int to, int from, int block, Operands& operands) const {
    operands.to = result(to, block);
    operands.from.assign(1, now(from, block));
    return to != from && done_[cell(to, block)] == 0;
}

void LevelPasses::combine_group(int level, int number) {
    const RankRange children = tree_.children(level, number);
    const auto describe = [&](int block, Operands& operands) {
        operands.to = result(owner(level, number, block), block);
        operands.from.clear();
        for (int child = children.first; child < children.first + children.count; ++child) {
            operands.from.push_back(now(owner(level + 1, child, block), block));
        }
        return true;
    };
    for_each_run(0, block_count(), describe, [&](const Operands& run) {
        const int rank = run.to.member;
        recorders_[static_cast<std::size_t>(rank)].combine(run.to, run.from);
        const schedule::Blocks blocks = run.to.blocks;
        for (int block = blocks.first; block < blocks.first + blocks.count; ++block) {
            where_[cell(rank, block)] = run.to.space;
            done_[cell(rank, block)] = level == 0 ? 1 : 0;
        }
    });
}

void LevelPasses::combine() {
    for (int level = tree_.last(); level-- > 0;) {
        begin_round();
        for (int number = 0; number < tree_.groups(level); ++number) {
            if (tree_.children(level, number).count > 1) {
                combine_group(level, number);
            }
        }
    }
}

void LevelPasses::pass(Direction direction, bool own_blocks) {
    const bool outwards = direction == Direction::outwards;
    for (int round = 0; round < tree_.last(); ++round) {
        const int level = outwards ? tree_.last() - 1 - round : round;
        begin_round();
        for (int child = 0; child < tree_.groups(level + 1); ++child) {
            const RankRange ranks = own_blocks ? tree_.group(level + 1, child) : RankRange{0, block_count()};
            const int parent = tree_.group_of(level, tree_.group(level + 1, child).first);
            copy_runs(ranks.first, ranks.first + ranks.count, [&](int block, Operands& operands) {
                const int inner = owner(level + 1, child, block);
                const int outer = owner(level, parent, block);
                return describe_copy(outwards ? outer : inner, outwards ? inner : outer, block, operands);
            });
        }
    }
}

// All share in that, and nothing has to wait at anybody else's.
void LevelPasses::to_root() {
    begin_round();
    const auto describe = [&](int block, Operands& operands) {
        const int whose = owner(0, 0, block);
        operands = {result(root_, block), {now(whose, block)}};
        return whose != root_;
    };
    for_each_run(0, block_count(), describe, [&](const Operands& run) {
        recorders_[static_cast<std::size_t>(run.from.front().member)].copy(run.to, run.from.front());
    });
}

void LevelPasses::from_root() {
    for (int level = tree_.last(); level-- > 0;) {
        begin_round();
        copy_runs(0, block_count(), [&](int block, Operands& operands) {
            return describe_copy(owner(level, tree_.group_of(level, root_), block),
                                 owner(level + 1, tree_.group_of(level + 1, root_), block), block, operands);
        });
    }
}

schedule::Schedule LevelPasses::take() {
    std::vector<schedule::Program> programs;
    programs.reserve(recorders_.size());
    for (schedule::Recorder& recorder : recorders_) {
        programs.push_back(recorder.take());
    }
    return {collective_, tree_.ranks(), block_count(), schedule::Symmetry::none, std::move(programs), root_};
}

} // namespace tutti::algorithm
