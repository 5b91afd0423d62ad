#include "algorithm/levels/level_passes.hpp"

#include <utility>

namespace tutti::algorithm {

using graph::RankRange;
using schedule::Place;
using schedule::Space;

namespace {

bool combines(Collective collective) {
    return detail::traits_of(collective).reduces() || collective == Collective::barrier;
}

} // namespace

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

void LevelPasses::spread() {
    for (int level = 0; level < tree_.last(); ++level) {
        begin_round();
        for (int child = 0; child < tree_.groups(level + 1); ++child) {
            const int parent = tree_.group_of(level, tree_.group(level + 1, child).first);
            copy_runs(0, block_count(), [&](int block, Operands& operands) {
                return describe_copy(owner(level + 1, child, block), owner(level, parent, block), block,
                                     operands);
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

void LevelPasses::collect() {
    for (int level = tree_.last(); level-- > 0;) {
        begin_round();
        for (int child = 0; child < tree_.groups(level + 1); ++child) {
            const RankRange ranks = tree_.group(level + 1, child);
            const int parent = tree_.group_of(level, ranks.first);
            copy_runs(ranks.first, ranks.first + ranks.count, [&](int block, Operands& operands) {
                return describe_copy(owner(level, parent, block), owner(level + 1, child, block), block,
                                     operands);
            });
        }
    }
}

void LevelPasses::deal() {
    for (int level = 0; level < tree_.last(); ++level) {
        begin_round();
        for (int child = 0; child < tree_.groups(level + 1); ++child) {
            const RankRange ranks = tree_.group(level + 1, child);
            const int parent = tree_.group_of(level, ranks.first);
            copy_runs(ranks.first, ranks.first + ranks.count, [&](int block, Operands& operands) {
                return describe_copy(owner(level + 1, child, block), owner(level, parent, block), block,
                                     operands);
            });
        }
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
