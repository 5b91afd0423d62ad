#include "algorithm/levels.hpp"

#include "algorithm/algorithms.hpp"
#include "algorithm/bracketed.hpp"
#include "algorithm/families.hpp"
#include "algorithm/level_passes.hpp"
#include "graph/torus.hpp"
#include "schedule/place.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::algorithm {

using graph::LevelTree;
using graph::RankRange;
using schedule::Blocks;
using schedule::Collective;
using schedule::Place;
using schedule::Recorder;
using schedule::Schedule;
using schedule::Space;
using schedule::Symmetry;

namespace {

constexpr Blocks vector{0, 1};

// In a level every member combines the vectors of its counterparts, which all of them read in that round, so
// the results alternate between two vectors.
Schedule exchange_allreduce(const LevelTree& tree) {
    const std::vector<int> dimensions = tree.dimensions();
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < tree.ranks(); ++rank) {
        Recorder recorder;
        if (dimensions.empty()) {
            recorder.round().copy({rank, Space::output, vector}, {rank, Space::input, vector});
        }
        Space before = Space::input;
        for (int level = tree.last(); level-- > 0;) {
            const RankRange group = tree.group(level, tree.group_of(level, rank));
            const int children = dimensions[static_cast<std::size_t>(level)];
            const int stride = group.count / children;
            const int own = (rank - group.first) / stride;
            std::vector<int> firsts;
            for (int child = 0; child <= children; ++child) {
                firsts.push_back(group.first + child * stride);
            }
            const Space after = level % 2 == 0 ? Space::output : Space::scratch0;
            constexpr Space temporaries[] = {Space::scratch1, Space::scratch2};
            recorder.round();
            Bracketed(recorder, firsts, Place{rank, after, vector}, temporaries, [&](int child) {
                return Place{rank + (child - own) * stride, before, vector};
            }).combine_all(own);
            before = after;
        }
        programs.push_back(recorder.take());
    }
    return {Collective::allreduce, tree.ranks(), 1, Symmetry::none, std::move(programs)};
}

// A barrier's tokens have no order, so one program stands for all.
Schedule exchange_barrier(const std::vector<int>& dimensions) {
    Recorder recorder;
    recorder.round();
    Place known{0, Space::input, vector};
    const Place result{0, Space::output, vector};
    if (dimensions.empty()) {
        recorder.copy(result, known);
    }
    for (std::size_t index = dimensions.size(); index-- > 0;) {
        const int stride = graph::stride(dimensions, index);
        const Space before = known.space;
        for (int child = 1; child < dimensions[index]; ++child) {
            recorder.reduce(result, known, {child * stride, before, vector});
            known = result;
        }
        if (index > 0) {
            recorder.round();
        }
    }
    const int ranks = std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies());
    return {Collective::barrier, ranks, 1, Symmetry::torus(dimensions), {recorder.take()}};
}

/// For each block a rank: those that are first in their innermost groups come first, and so on outwards. So
/// the blocks that a member of an innermost group acts for are one range, of which those that it acts for in
/// the next level are a part, and so on.
std::vector<int> innermost_digit_first(const LevelTree& tree) {
    std::vector<int> ranks(static_cast<std::size_t>(tree.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
    for (int level = 0; level < tree.last(); ++level) {
        std::ranges::stable_sort(ranks, {}, [&](int rank) {
            return tree.group_of(level + 1, rank) - tree.children(level, tree.group_of(level, rank)).first;
        });
    }
    return ranks;
}

Schedule in_shares(Collective collective, const LevelTree& tree, int root) {
    std::vector<int> owners = innermost_digit_first(tree);
    if (collective == Collective::reduce_scatter || collective == Collective::allgather) {
        std::ranges::sort(owners);
    }
    LevelPasses passes(tree, collective, std::move(owners), root);
    if (reduces(collective)) {
        passes.combine();
    }
    if (collective == Collective::reduce) {
        passes.to_root();
    }
    if (collective == Collective::broadcast) {
        passes.from_root();
    }
    if (collective == Collective::broadcast || collective == Collective::allreduce ||
        collective == Collective::allgather) {
        passes.spread();
    }
    return passes.take();
}

Schedule by_leaders(Collective collective, const LevelTree& tree, int root) {
    const bool per_rank = collective == Collective::reduce_scatter || collective == Collective::allgather ||
                          collective == Collective::gather || collective == Collective::scatter;
    const std::size_t blocks = per_rank ? static_cast<std::size_t>(tree.ranks()) : 1;
    LevelPasses passes(tree, collective, std::vector<int>(blocks, root), root);
    if (reduces(collective) || collective == Collective::barrier) {
        passes.combine();
    }
    if (collective == Collective::gather || collective == Collective::allgather) {
        passes.collect();
    }
    if (collective == Collective::scatter || collective == Collective::reduce_scatter) {
        passes.deal();
    }
    if (collective == Collective::allgather || (!per_rank && collective != Collective::reduce)) {
        passes.spread();
    }
    return passes.take();
}

Schedule shares(Collective collective, const LevelTree& tree, int root) {
    const std::vector<int> dimensions = tree.dimensions();
    switch (collective) {
    case Collective::gather:
        return direct_gather(tree.ranks(), root);
    case Collective::scatter:
        return direct_scatter(tree.ranks(), root);
    case Collective::alltoall:
        return direct_alltoall(tree.ranks());
    case Collective::shift:
        return direct_shift(tree.ranks(), root);
    case Collective::allgather:
        // Nothing is combined, so that on equal groups one program stands for all.
        return dimensions.empty() ? in_shares(collective, tree, root)
                                  : place(levels_allgather_pattern(dimensions), collective);
    default:
        return in_shares(collective, tree, root);
    }
}

bool is_prefix(Collective collective) {
    return collective == Collective::scan || collective == Collective::exscan;
}

} // namespace

std::string_view to_string(Acting acting) {
    switch (acting) {
    case Acting::exchange:
        return "exchange";
    case Acting::shares:
        return "shares";
    case Acting::leaders:
        return "leaders";
    }
    return "unknown";
}

bool takes(Acting acting, Collective collective, const LevelTree& tree) {
    switch (acting) {
    case Acting::exchange:
        return (collective == Collective::barrier || collective == Collective::allreduce ||
                collective == Collective::alltoall) &&
               (tree.ranks() == 1 || !tree.split(most_operands).dimensions().empty());
    case Acting::shares:
        return collective != Collective::barrier && !is_prefix(collective);
    case Acting::leaders:
        return collective != Collective::alltoall && collective != Collective::shift;
    }
    return false;
}

// Whoever exchanges whole vectors writes what it has made while others read what it had, and prefixes are
// written while inputs are read: neither can be done in place.
Forms forms_of(Acting acting, Collective collective) {
    if (collective == Collective::barrier) {
        return {.carried = true};
    }
    if (acting == Acting::exchange || is_prefix(collective)) {
        return {.carried = collective != Collective::alltoall, .pulled = true};
    }
    const bool one_block = collective == Collective::broadcast || collective == Collective::reduce ||
                           collective == Collective::allreduce;
    const bool one_hop = collective == Collective::alltoall || collective == Collective::shift;
    return {.carried = acting == Acting::leaders ? one_block : one_hop,
            .pulled = true,
            .in_place = !one_hop,
            .one_hop = collective == Collective::alltoall};
}

Schedule levels(Collective collective, const LevelTree& whole, Acting acting, int root) {
    if (!takes(acting, collective, whole)) {
        throw std::invalid_argument("levels: " + std::string(to_string(acting)) + " does not take " +
                                    std::string(to_string(collective)) + " on this tree");
    }
    if (root < 0 || root >= whole.ranks()) {
        throw std::invalid_argument("levels: root is " + std::to_string(root) + ", must be in 0.." +
                                    std::to_string(whole.ranks() - 1));
    }
    if (is_prefix(collective)) {
        return levels_scan(whole,
                           collective == Collective::scan ? Inclusion::inclusive : Inclusion::exclusive);
    }
    const LevelTree tree = whole.split(most_operands);
    if (acting == Acting::shares) {
        return shares(collective, tree, root);
    }
    if (acting == Acting::leaders) {
        return by_leaders(collective, tree, root);
    }
    switch (collective) {
    case Collective::barrier:
        return exchange_barrier(tree.dimensions());
    case Collective::allreduce:
        return exchange_allreduce(tree);
    default:
        return exchange_alltoall(tree.dimensions());
    }
}

} // namespace tutti::algorithm
