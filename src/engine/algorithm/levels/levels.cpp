#include "algorithm/levels/levels.hpp"

#include "algorithm/algorithms.hpp"
#include "graph/graphs.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tutti::algorithm {

using graph::LevelTree;
using schedule::Place;
using schedule::Recorder;
using schedule::Schedule;
using schedule::Space;
using schedule::Symmetry;

namespace {

/// Appends the sizes of groups of at most most_near ranks: of the children of a group of that level, which
/// are halved by cut() as long as they are more, and then of their children.
void append_near(const LevelTree& tree, int level, std::span<const int> firsts, std::vector<int>& sizes) {
    const int ranks = firsts.back() - firsts.front();
    if (ranks <= most_near) {
        sizes.push_back(ranks);
    } else if (firsts.size() == 2) {
        const int child = tree.group_of(level + 1, firsts.front());
        append_near(tree, level + 1, tree.firsts_of_children(level + 1, child), sizes);
    } else {
        const auto middle = static_cast<std::size_t>(graph::cut(firsts));
        append_near(tree, level, firsts.first(middle + 1), sizes);
        append_near(tree, level, firsts.subspan(middle), sizes);
    }
}

/// The outermost groups, and of larger ones parts.
LevelTree near(const LevelTree& tree) {
    int level = std::min(1, tree.last() - 1); // of the outermost groups; without any, the whole is one
    while (level + 1 < tree.last() && tree.groups(level) == 1) {
        ++level;
    }
    std::vector<int> sizes;
    for (int number = 0; number < tree.groups(level); ++number) {
        append_near(tree, level, tree.firsts_of_children(level, number), sizes);
    }
    return LevelTree::nested(tree.ranks(), {sizes});
}

/// The tree with its groups split as this schedule wants it.
LevelTree split_for(Acting acting, Collective collective, const LevelTree& tree) {
    if (is_direct(acting)) {
        const LevelTree groups = acting == Acting::near && tree.ranks() > 1 ? near(tree) : tree;
        return detail::traits_of(collective).reduces() ? cut_to_combine(groups) : groups;
    }
    const bool combines = detail::traits_of(collective).reduces() ||
                          (collective == Collective::barrier && acting == Acting::leaders);
    return combines ? split_to_combine(tree) : tree.split(most_operands);
}

/// How often each member combines: in all levels in which its group is divided.
std::vector<int> combinations(const LevelTree& tree) {
    std::vector<int> counts(static_cast<std::size_t>(tree.ranks()), 0);
    for (int level = 0; level < tree.last(); ++level) {
        for (int rank = 0; rank < tree.ranks(); ++rank) {
            const bool is_divided = tree.children(level, tree.group_of(level, rank)).count > 1;
            counts[static_cast<std::size_t>(rank)] += is_divided ? 1 : 0;
        }
    }
    return counts;
}

// In a level every member combines the results of its counterparts, one in each sibling group: the member at
// the same place, counted round if that group is smaller. All of them read in that round, so what a member
// makes alternates between two vectors, of which the last is the output.
Schedule exchange_whole(Collective collective, const LevelTree& tree) {
    std::vector<Recorder> recorders(static_cast<std::size_t>(tree.ranks()));
    std::vector<Space> made(recorders.size(), Space::input);
    std::vector<int> left = combinations(tree);
    for (int level = tree.last(); level-- > 0;) {
        const std::vector<Space> before = made;
        for (int rank = 0; rank < tree.ranks(); ++rank) {
            Recorder& recorder = recorders[static_cast<std::size_t>(rank)].round();
            const int number = tree.group_of(level, rank);
            const std::span<const int> firsts = tree.firsts_of_children(level, number);
            if (firsts.size() == 2) {
                continue;
            }
            const auto own =
                static_cast<std::size_t>(tree.group_of(level + 1, rank) - tree.children(level, number).first);
            std::vector<Place> operands;
            for (std::size_t child = 0; child + 1 < firsts.size(); ++child) {
                const int place = (rank - firsts[own]) % (firsts[child + 1] - firsts[child]);
                const int counterpart = firsts[child] + place;
                operands.push_back(
                    {counterpart, before[static_cast<std::size_t>(counterpart)], whole_vector});
            }
            const bool is_even = --left[static_cast<std::size_t>(rank)] % 2 == 0;
            const Space after = is_even ? Space::output : Space::scratch0;
            recorder.combine({rank, after, whole_vector}, operands);
            made[static_cast<std::size_t>(rank)] = after;
        }
    }
    std::vector<schedule::Program> programs;
    for (Recorder& recorder : recorders) {
        if (tree.ranks() == 1) {
            recorder.round().copy({0, Space::output, whole_vector}, {0, Space::input, whole_vector});
        }
        programs.push_back(recorder.take());
    }
    return {collective, tree.ranks(), 1, Symmetry::none, std::move(programs)};
}

// A barrier's tokens have no order, so that on equal groups one program stands for all.
Schedule exchange_barrier(const LevelTree& tree) {
    const std::vector<int> dimensions = tree.dimensions();
    if (dimensions.empty()) {
        return exchange_whole(Collective::barrier, tree);
    }
    Recorder recorder;
    recorder.round();
    Place known{0, Space::input, whole_vector};
    const Place result{0, Space::output, whole_vector};
    for (std::size_t index = dimensions.size(); index-- > 0;) {
        const int stride = graph::stride(dimensions, index);
        const Space before = known.space;
        for (int child = 1; child < dimensions[index]; ++child) {
            recorder.reduce(result, known, {child * stride, before, whole_vector});
            known = result;
        }
        if (index > 0) {
            recorder.round();
        }
    }
    return {Collective::barrier, tree.ranks(), 1, Symmetry::torus(dimensions), {recorder.take()}};
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
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    if (traits.is_divided()) {
        std::ranges::sort(owners);
    }
    LevelPasses passes(tree, collective, std::move(owners), root);
    if (traits.reduces()) {
        passes.combine();
    }
    if (traits.reduces() && traits.is_rooted()) {
        passes.to_root();
    }
    if (traits.result == detail::Result::of_root) {
        passes.from_root();
    }
    if (traits.is_same_for_all()) {
        passes.spread();
    }
    return passes.take();
}

Schedule by_leaders(Collective collective, const LevelTree& tree, int root) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    const std::size_t blocks = is_per_rank(collective) ? static_cast<std::size_t>(tree.ranks()) : 1;
    LevelPasses passes(tree, collective, std::vector<int>(blocks, root), root);
    const bool is_barrier = traits.result == detail::Result::nothing;
    if (traits.reduces() || is_barrier) {
        passes.combine();
    }
    if (traits.gathers()) {
        passes.collect();
    }
    if (traits.scatters()) {
        passes.deal();
    }
    if (traits.is_same_for_all() || is_barrier) {
        passes.spread();
    }
    return passes.take();
}

Schedule shares(Collective collective, const LevelTree& tree, int root) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    const bool has_one_receiver = (traits.is_rooted() && traits.is_divided()) ||
                                  traits.result == detail::Result::of_pair ||
                                  traits.result == detail::Result::of_neighbour;
    if (has_one_receiver) {
        return find(collective, "direct")->make(tree.ranks(), root);
    }
    // If nothing is combined, one program stands for all on equal groups.
    const std::vector<int> dimensions = tree.dimensions();
    return collective == Collective::allgather && !dimensions.empty()
               ? place(levels_allgather_pattern(dimensions), collective)
               : in_shares(collective, tree, root);
}

} // namespace

bool takes(Acting acting, Collective collective, const LevelTree& tree) {
    if (collective == Collective::barrier) {
        return acting != Acting::shares && !is_direct(acting) && protocols_of(acting, collective, tree).eager;
    }
    switch (acting) {
    case Acting::exchange:
        return collective == Collective::allreduce ||
               (collective == Collective::alltoall &&
                (tree.ranks() == 1 || !split_for(acting, collective, tree).dimensions().empty()));
    case Acting::shares:
        return !detail::traits_of(collective).is_prefix();
    case Acting::leaders:
        return !detail::traits_of(collective).permutes();
    case Acting::direct:
    case Acting::near:
        return collective == Collective::allreduce || collective == Collective::reduce_scatter ||
               collective == Collective::allgather || collective == Collective::broadcast;
    }
    return false;
}

Protocols protocols_of(Acting acting, Collective collective, const LevelTree& tree) {
    Protocols protocols = protocols_of(acting, collective);
    if (protocols.eager && !detail::traits_of(collective).permutes()) {
        const int depth = split_for(acting, collective, tree).last();
        const bool there_and_back = acting == Acting::leaders && (collective == Collective::barrier ||
                                                                  collective == Collective::allreduce);
        // Eager if members have a slot for every point of these rounds.
        protocols.eager = (there_and_back ? 2 * depth : depth) < graph::rounds_log2(tree.ranks()) + 3;
    }
    return protocols;
}

LevelTree tree_to_run_on(Acting acting, Collective collective, LevelTree tree) {
    if (detail::traits_of(collective).reduces()) {
        tree = tree.aligned();
    }
    if (collective == Collective::alltoall && !takes(acting, collective, tree)) {
        return LevelTree::nested(tree.ranks(), {});
    }
    while (protocols_of(acting, collective).eager && !protocols_of(acting, collective, tree).eager &&
           tree.last() > 1) {
        tree = tree.without(tree.last() - 1);
    }
    return tree;
}

Schedule levels(Collective collective, const LevelTree& whole, Acting acting, int root) {
    if (!takes(acting, collective, whole)) {
        throw std::invalid_argument(std::string(row_name(acting)) + " does not take " +
                                    std::string(to_string(collective)) + " on this tree");
    }
    if (root < 0 || root >= whole.ranks()) {
        throw std::invalid_argument("levels: root is " + std::to_string(root) + ", must be in 0.." +
                                    std::to_string(whole.ranks() - 1));
    }
    if (detail::traits_of(collective).is_prefix()) {
        return levels_scan(split_for(acting, collective, whole),
                           collective == Collective::scan ? Inclusion::inclusive : Inclusion::exclusive);
    }
    const LevelTree tree = split_for(acting, collective, whole);
    if (acting == Acting::shares) {
        return shares(collective, tree, root);
    }
    if (acting == Acting::leaders) {
        return by_leaders(collective, tree, root);
    }
    if (is_direct(acting)) {
        return levels_direct(collective, tree, root);
    }
    if (collective == Collective::alltoall) {
        return exchange_alltoall(tree.dimensions());
    }
    return collective == Collective::barrier ? exchange_barrier(tree) : exchange_whole(collective, tree);
}

} // namespace tutti::algorithm
