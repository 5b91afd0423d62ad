#include "algorithm/levels_direct.hpp"

#include "schedule/recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::algorithm {

using graph::LevelTree;
using graph::RankRange;
using schedule::Blocks;
using schedule::Collective;
using schedule::Place;
using schedule::Recorder;
using schedule::Space;

namespace {

std::vector<RankRange> outermost_groups(const LevelTree& tree) {
    if (tree.last() < 2) {
        return {{0, tree.ranks()}};
    }
    std::vector<RankRange> groups;
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

std::vector<Place> inputs_of(const RankRange& members, Blocks blocks) {
    std::vector<Place> inputs;
    for (int member = members.first; member < members.first + members.count; ++member) {
        inputs.push_back({member, Space::input, blocks});
    }
    return inputs;
}

/// Combines the operands for all of a group.
void combine_for(const RankRange& members, int rank, const std::vector<Place>& operands, Recorder& recorder) {
    const Place result{rank, Space::output, operands.front().blocks};
    recorder.combine(result, operands);
    for (int member = members.first; member < members.first + members.count; ++member) {
        if (member != rank) {
            recorder.copy({member, Space::output, result.blocks}, result);
        }
    }
}

schedule::Program program_of(const Shares& shares, int number, int rank) {
    const RankRange& members = shares.group(number);
    const Blocks own = shares.of(number, rank);
    Recorder recorder;
    recorder.round();
    if (shares.groups() == 1) {
        combine_for(members, rank, inputs_of(members, own), recorder);
        return recorder.take();
    }
    recorder.combine({rank, Space::scratch0, own}, inputs_of(members, own));
    recorder.round();
    for (int block = own.first; block < own.first + own.count;) {
        const Blocks run = shares.run(block, own.first + own.count, 0, shares.groups());
        std::vector<Place> partials;
        for (int other = 0; other < shares.groups(); ++other) {
            partials.push_back({shares.owner(other, block), Space::scratch0, run});
        }
        combine_for(members, rank, partials, recorder);
        block += run.count;
    }
    return recorder.take();
}

} // namespace

schedule::Schedule levels_direct(const LevelTree& tree) {
    const Shares shares(outermost_groups(tree));
    std::vector<schedule::Program> programs;
    for (int number = 0; number < shares.groups(); ++number) {
        const RankRange& members = shares.group(number);
        for (int rank = members.first; rank < members.first + members.count; ++rank) {
            programs.push_back(program_of(shares, number, rank));
        }
    }
    return {Collective::allreduce, tree.ranks(), shares.blocks(), schedule::Symmetry::none,
            std::move(programs)};
}

} // namespace tutti::algorithm
