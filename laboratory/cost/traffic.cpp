#include "cost/traffic.hpp"

#include "cost/messages.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace tutti::cost {

using detail::Result;
using graph::LevelTree;
using graph::RankRange;
using schedule::Protocol;
using schedule::Schedule;

namespace {

class Borders {
public:
    explicit Borders(const LevelTree& tree) : tree_(tree) {
        for (int level = 1; level <= tree.last(); ++level) {
            levels_.push_back({std::vector<Border>(static_cast<std::size_t>(tree.groups(level)))});
        }
    }

    /// Once in different groups, members are so in all levels further in.
    void cross(int from, int to, const Crossing& what) {
        for (int level = tree_.last(); level > 0; --level) {
            const int left = tree_.group_of(level, from);
            const int entered = tree_.group_of(level, to);
            if (left == entered) {
                return;
            }
            add(border(level, left).out, what);
            add(border(level, entered).in, what);
        }
    }

    static void add(Crossing& sum, const Crossing& what) {
        sum.blocks += what.blocks;
        sum.slots += what.slots;
    }

    std::vector<LevelTraffic> take() { return std::move(levels_); }

private:
    Border& border(int level, int group) {
        return levels_[static_cast<std::size_t>(level) - 1].groups[static_cast<std::size_t>(group)];
    }

    const LevelTree& tree_;
    std::vector<LevelTraffic> levels_;
};

/// Calls visit(actor, other, stored, crossing) for what one representative takes from others, or stores
/// there.
template <class Visit>
void for_each_crossing(const schedule::Synchronised& plan, std::size_t stored, Visit visit) {
    const Schedule& schedule = plan.schedule;
    const schedule::Program& program = schedule.programs()[stored];
    const int actor = static_cast<int>(stored);
    Messages messages(schedule);
    std::vector<char> touched(static_cast<std::size_t>(schedule.ranks()), 0);
    const bool has_data = schedule.collective() != Collective::barrier;
    for (std::size_t round = 0; round < program.size(); ++round) {
        messages.for_each(actor, program[round], [&](bool is_stored, int owner, int blocks) {
            touched[static_cast<std::size_t>(owner)] = 1;
            if (has_data) {
                visit(owner, is_stored, Crossing{blocks, 0});
            }
        });
    }
    for (const schedule::Wait& wait : plan.waits[stored]) {
        visit(wait.member, false, Crossing{0, 1});
    }
    for (int owner = 0; plan.protocol != Protocol::eager && owner < schedule.ranks(); ++owner) {
        if (touched[static_cast<std::size_t>(owner)] != 0) {
            visit(owner, false, Crossing{0, 1});
        }
    }
}

/// How many ranks of the group have their source of a shift outside.
int shifted_in(RankRange group, int ranks, int distance) {
    int count = 0;
    for (int rank = group.first; rank < group.first + group.count; ++rank) {
        count += group.has(schedule::wrap(rank - distance, ranks)) ? 0 : 1;
    }
    return count;
}

/// The vectors that must cross the border of one group; `share` is its part of all ranks.
struct Needs {
    double in = 0;
    double out = 0;
};

Needs needs(Collective collective, RankRange group, int ranks, int root) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    const double share = static_cast<double>(group.count) / ranks;
    const double others = 1 - share;
    const bool has_root = group.has(root);
    switch (traits.result) {
    case Result::nothing:
        return {};
    case Result::of_root:
        return has_root ? Needs{0, traits.scatters() ? others : 1} : Needs{traits.scatters() ? share : 1, 0};
    case Result::of_owner:
        return {has_root || !traits.is_rooted() ? others : 0, has_root && traits.is_rooted() ? 0 : share};
    case Result::of_pair:
        return {others * group.count, others * group.count};
    case Result::of_neighbour: {
        const double vectors = shifted_in(group, ranks, root);
        return {vectors, vectors};
    }
    case Result::of_all:
        if (traits.is_rooted()) {
            return has_root ? Needs{1, 0} : Needs{0, 1};
        }
        return traits.scatters() ? Needs{share, others} : Needs{1, 1};
    case Result::of_up_to_here:
    case Result::of_before:
        return {group.first > 0 ? 1.0 : 0.0, group.first + group.count < ranks ? 1.0 : 0.0};
    }
    return {};
}

} // namespace

Crossing LevelTraffic::total() const {
    Crossing sum;
    for (const Border& border : groups) {
        Borders::add(sum, border.in);
    }
    return sum;
}

Border LevelTraffic::most() const {
    Border most;
    for (const Border& border : groups) {
        most.in.blocks = std::max(most.in.blocks, border.in.blocks);
        most.in.slots = std::max(most.in.slots, border.in.slots);
        most.out.blocks = std::max(most.out.blocks, border.out.blocks);
        most.out.slots = std::max(most.out.slots, border.out.slots);
    }
    return most;
}

std::vector<LevelTraffic> traffic(const schedule::Synchronised& plan, const LevelTree& tree) {
    const Schedule& schedule = plan.schedule;
    if (tree.ranks() != schedule.ranks()) {
        throw std::invalid_argument("traffic: the tree has other ranks than the schedule");
    }
    Borders borders(tree);
    for (std::size_t stored = 0; stored < schedule.programs().size(); ++stored) {
        const bool is_all = schedule.symmetry().translates();
        const int first = is_all ? 0 : static_cast<int>(stored);
        const int last = is_all ? schedule.ranks() - 1 : first;
        for_each_crossing(plan, stored, [&](int other, bool is_stored, const Crossing& what) {
            for (int actor = first; actor <= last; ++actor) {
                const int owner = schedule.translation(actor).member(other);
                borders.cross(is_stored ? actor : owner, is_stored ? owner : actor, what);
            }
        });
    }
    return borders.take();
}

double lines(const Crossing& crossing, Protocol protocol, double block_bytes) {
    constexpr double line = 64;
    constexpr double in_a_slot = 32;
    const bool in_slots = protocol == Protocol::eager && block_bytes <= in_a_slot;
    const double data = in_slots ? 0 : static_cast<double>(crossing.blocks) * std::ceil(block_bytes / line);
    return static_cast<double>(crossing.slots) + data;
}

LeastTraffic least_traffic(Collective collective, const LevelTree& tree, int level, int root) {
    LeastTraffic least;
    long entered = 0;
    const int groups = tree.groups(level);
    for (int number = 0; groups > 1 && number < groups; ++number) {
        const Needs need = needs(collective, tree.group(level, number), tree.ranks(), root);
        least.in.push_back(need.in);
        least.out.push_back(need.out);
        entered += need.in > 0 ? 1 : 0;
    }
    const double in = std::accumulate(least.in.begin(), least.in.end(), 0.0);
    const double out = std::accumulate(least.out.begin(), least.out.end(), 0.0);
    // More of an allreduce must cross the borders than what enters all groups.
    least.total = std::max({in, out, collective == Collective::allreduce ? 2.0 * (groups - 1) : 0.0});
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    const bool only_root_receives = traits.is_rooted() && traits.output.others == detail::Part::none;
    least.lines = traits.needs_all ? 2L * (groups - 1) : only_root_receives ? groups - 1L : entered;
    return least;
}

} // namespace tutti::cost
