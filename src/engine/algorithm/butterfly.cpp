#include "algorithm/algorithms.hpp"
#include "graph/graphs.hpp"
#include "schedule/recorder.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::algorithm {

using schedule::Action;
using schedule::Blocks;
using schedule::Pattern;
using schedule::Place;
using schedule::Recorder;
using schedule::Schedule;
using schedule::Space;
using schedule::Symmetry;
using schedule::Transfer;

namespace {

/// One message of the reduction phase, and whether the routing phase sends the result back along it.
struct Message {
    int round;
    int to;
    int from;
    Blocks blocks;
    bool sent_back;
};

/// Members that have reduced among themselves. The i-th members of all units of a level are responsible for
/// the same blocks. A unit's ranks follow on those of the unit before, so that partial results are always
/// those of consecutive ranks.
struct Unit {
    std::vector<int> members;
    /// The round in which the unit can go on.
    int ready = 0;
};

Blocks lower_half(Blocks range) {
    return {range.first, (range.count + 1) / 2};
}

Blocks upper_half(Blocks range) {
    const int lower = (range.count + 1) / 2;
    return {range.first + lower, range.count - lower};
}

/// Builds the two phases of Rabenseifner & Träff 2004, Fig. 1.
class Butterfly {
public:
    Butterfly(int ranks, int blocks, int halvings)
        : ranks_(ranks), blocks_(blocks), halvings_(halvings),
          range_(static_cast<std::size_t>(ranks), Blocks{0, blocks}) {
        for (int rank = 0; rank < ranks; ++rank) {
            units_.push_back({{rank}, 0});
        }
    }

    int units() const { return static_cast<int>(units_.size()); }

    /// A round of the butterfly: units pair up, after the first `before` have made a 3-2 elimination step of
    /// three of them (0 or 3).
    void pair_all(int before = 0) {
        std::vector<Unit> next;
        if (before == 3) {
            next.push_back(eliminate(units_[0], units_[1], units_[2]));
        }
        for (auto i = static_cast<std::size_t>(before); i + 1 < units_.size(); i += 2) {
            next.push_back(pair(units_[i], units_[i + 1]));
        }
        units_ = std::move(next);
        ++level_;
    }

    /// 2-1 elimination: of the units from the `first` on, `count` absorb the one after them.
    void absorb(int first, int count) {
        std::vector<Unit> next(units_.begin(), units_.begin() + first);
        auto unit = units_.begin() + first;
        for (int i = 0; i < count; ++i, unit += 2) {
            next.push_back(absorbed(unit[0], unit[1]));
        }
        next.insert(next.end(), unit, units_.end());
        units_ = std::move(next);
    }

    ButterflyPhases phases() const {
        std::vector<std::vector<Transfer>> reduce(static_cast<std::size_t>(ranks_));
        std::vector<std::vector<Transfer>> route(static_cast<std::size_t>(ranks_));
        const int rounds = units_.front().ready;
        const int hand_over = handed_over_.empty() ? 0 : 1;
        int sent_back = 0;
        for (const Message& message : messages_) {
            const Action action = message.to < message.from ? Action::combine : Action::combine_before;
            reduce[static_cast<std::size_t>(message.to)].push_back(
                {message.round, message.from, message.blocks, action});
            sent_back = std::max(sent_back, message.sent_back ? message.round + 1 : 0);
        }
        for (const auto& [to, from] : handed_over_) {
            route[static_cast<std::size_t>(to)].push_back(
                {0, from, range_[static_cast<std::size_t>(from)], Action::copy});
        }
        for (const Message& message : messages_) {
            if (message.sent_back) {
                route[static_cast<std::size_t>(message.from)].push_back(
                    {hand_over + sent_back - 1 - message.round, message.to, message.blocks, Action::copy});
            }
        }
        for (auto* lists : {&reduce, &route}) {
            for (auto& list : *lists) {
                std::ranges::stable_sort(list, {}, &Transfer::round);
            }
        }
        ButterflyPhases phases{{ranks_, blocks_, rounds, Symmetry::none, std::move(reduce)},
                               {ranks_, blocks_, hand_over + sent_back, Symmetry::none, std::move(route)},
                               std::vector<int>(static_cast<std::size_t>(blocks_), 0)};
        for (const int member : units_.front().members) {
            const Blocks range = range_[static_cast<std::size_t>(member)];
            std::fill_n(phases.owners.begin() + range.first, range.count, member);
        }
        return phases;
    }

private:
    bool halves() const { return level_ < halvings_; }
    Blocks& range(int rank) { return range_[static_cast<std::size_t>(rank)]; }

    void send(int round, int to, int from, Blocks blocks, bool sent_back) {
        if (blocks.count != 0) {
            messages_.push_back({round, to, from, blocks, sent_back});
        }
    }

    /// The butterfly exchange step: each member keeps one half of its blocks and is sent that half, or both
    /// are sent everything.
    Unit pair(const Unit& low, const Unit& high) {
        const int round = std::max(low.ready, high.ready);
        for (std::size_t i = 0; i < low.members.size(); ++i) {
            const int a = low.members[i];
            const int b = high.members[i];
            const Blocks whole = range(a);
            const Blocks lower = halves() ? lower_half(whole) : whole;
            const Blocks upper = halves() ? upper_half(whole) : whole;
            send(round, a, b, lower, halves());
            send(round, b, a, upper, halves());
            range(a) = lower;
            range(b) = upper;
        }
        return joined(low, high, round + 1);
    }

    /// The 3-2 elimination step (section 3.1): the second and the third exchange halves, then the first takes
    /// the lower half of their sum from the third and gives the second its upper half.
    Unit eliminate(const Unit& first, const Unit& second, const Unit& third) {
        const int round = std::max(second.ready, third.ready);
        const int later = std::max(round + 1, first.ready);
        for (std::size_t i = 0; i < first.members.size(); ++i) {
            const int a = first.members[i];
            const int b = second.members[i];
            const int c = third.members[i];
            const Blocks whole = range(a);
            const Blocks lower = halves() ? lower_half(whole) : whole;
            const Blocks upper = halves() ? upper_half(whole) : whole;
            send(round, b, c, upper, halves());
            send(round, c, b, lower, halves());
            send(later, a, c, lower, halves());
            send(later, b, a, upper, halves());
            range(a) = lower;
            range(b) = upper;
            if (!halves()) {
                handed_over_.emplace_back(c, a);
            }
        }
        return joined(first, second, later + 1);
    }

    Unit absorbed(const Unit& kept, const Unit& gone) {
        const int round = std::max(kept.ready, gone.ready);
        // A halved range goes back the way it came; a whole one is handed over at the end.
        const bool sent_back = halvings_ > 0;
        for (std::size_t i = 0; i < kept.members.size(); ++i) {
            send(round, kept.members[i], gone.members[i], range(kept.members[i]), sent_back);
            if (!sent_back) {
                handed_over_.emplace_back(gone.members[i], kept.members[i]);
            }
        }
        return {kept.members, round + 1};
    }

    static Unit joined(const Unit& low, const Unit& high, int ready) {
        Unit unit{low.members, ready};
        unit.members.insert(unit.members.end(), high.members.begin(), high.members.end());
        return unit;
    }

    int ranks_;
    int blocks_;
    int halvings_;
    int level_ = 0;
    std::vector<Blocks> range_;
    std::vector<Unit> units_;
    std::vector<Message> messages_;
    /// (to, from): members that were eliminated with all their blocks are given the result.
    std::vector<std::pair<int, int>> handed_over_;
};

/// One level: the units of `stride` ranks each join in groups of `radix`.
struct Level {
    int radix;
    int stride;

    int index(int rank) const { return rank / stride % radix; }
    int peer(int rank, int index) const { return rank + (index - this->index(rank)) * stride; }
};

/// The prime factors of `ranks`, twos first.
std::vector<Level> levels_of(int ranks) {
    std::vector<Level> levels;
    int stride = 1;
    for (const int factor : graph::prime_factors(ranks)) {
        levels.push_back({factor, stride});
        stride *= factor;
    }
    return levels;
}

Schedule allreduce(int ranks, int blocks, std::vector<schedule::Program> programs) {
    return {Collective::allreduce, ranks, blocks, Symmetry::none, std::move(programs)};
}

} // namespace

// Invariant before round z: there are floor(p / 2^z) units of 2^z members each, the first of them a round
// late if a 3-2 elimination step has been made; where their number is odd the next such step is made by the
// first three, whose first unit is not needed in the first of its two rounds, which makes up for the delay.
ButterflyPhases butterfly_overlapping(int ranks, int blocks, int halvings) {
    Butterfly butterfly(ranks, blocks, halvings);
    while (butterfly.units() > 1) {
        butterfly.pair_all(butterfly.units() % 2 == 0 ? 0 : 3);
    }
    return butterfly.phases();
}

// The factors of two first; of the odd number of units u left, three make a 3-2 elimination step while the
// others pair up, and while that step takes its second round so many of the pairs absorb another that a power
// of two is left.
ButterflyPhases butterfly_nonoverlapping(int ranks, int blocks, int halvings) {
    Butterfly butterfly(ranks, blocks, halvings);
    while (butterfly.units() > 1) {
        const int units = butterfly.units();
        butterfly.pair_all(units % 2 == 0 ? 0 : 3);
        if (units % 2 != 0) {
            const auto left = static_cast<int>(std::bit_floor(static_cast<unsigned>(units)) / 2);
            butterfly.absorb(1, butterfly.units() - left);
        }
    }
    return butterfly.phases();
}

ButterflyPhases butterfly_elimination_2_1(int ranks, int blocks, int halvings) {
    Butterfly butterfly(ranks, blocks, halvings);
    butterfly.absorb(0, ranks - static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))));
    while (butterfly.units() > 1) {
        butterfly.pair_all();
    }
    return butterfly.phases();
}

// The result of the reduction phase is where the halving has left it; one more round takes each block to the
// member of that rank.
Pattern butterfly_reduce_scatter_pattern(int ranks) {
    const auto halvings = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks)));
    const ButterflyPhases phases = butterfly_overlapping(ranks, ranks, halvings);
    std::vector<std::vector<Transfer>> moved(static_cast<std::size_t>(ranks));
    bool any = false;
    for (int rank = 0; rank < ranks; ++rank) {
        const int owner = phases.owners[static_cast<std::size_t>(rank)];
        if (owner != rank) {
            moved[static_cast<std::size_t>(rank)].push_back({0, owner, {rank, 1}, Action::copy});
            any = true;
        }
    }
    return then(phases.reduction, {ranks, ranks, any ? 1 : 0, Symmetry::none, std::move(moved)});
}

// In a level every member combines the vectors of its group, which all of them read until the last round of
// the level, so the results alternate between two vectors.
Schedule butterfly_ring_allreduce(int ranks) {
    const std::vector<Level> levels = levels_of(ranks);
    const auto after = [&](std::size_t level) {
        return (levels.size() - 1 - level) % 2 == 0 ? Space::output : Space::scratch0;
    };
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        Recorder recorder;
        if (levels.empty()) {
            recorder.round().copy({0, Space::output, whole_vector}, {0, Space::input, whole_vector});
        }
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const Level& level = levels[i];
            const Space before = i == 0 ? Space::input : after(i - 1);
            const Place result{rank, after(i), whole_vector};
            combine_in_rank_order(recorder, result, result, level.index(rank), level.radix, [&](int index) {
                return Place{level.peer(rank, index), before, whole_vector};
            });
        }
        programs.push_back(recorder.take());
    }
    return allreduce(ranks, 1, std::move(programs));
}

// Invariant: before a level all members of a unit are responsible for different blocks, and members of equal
// place in their units for the same ones. The level divides these among the group. Operands that a member
// gathers before its own operand's turn wait in scratch, because the result goes where that operand is.
Schedule butterfly_ring_halving_allreduce(int ranks) {
    const std::vector<Level> levels = levels_of(ranks);
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        Recorder recorder;
        if (levels.empty()) {
            recorder.round().copy({0, Space::output, {0, 1}}, {0, Space::input, {0, 1}});
        }
        std::vector<Blocks> ranges{{0, ranks}};
        for (const Level& level : levels) {
            const int index = level.index(rank);
            const int count = ranges.back().count / level.radix;
            const Blocks part{ranges.back().first + index * count, count};
            const Space before = ranges.size() == 1 ? Space::input : Space::output;
            combine_in_rank_order(recorder, {rank, Space::output, part}, {rank, Space::scratch0, part}, index,
                                  level.radix, [&](int other) {
                                      return Place{level.peer(rank, other), before, part};
                                  });
            ranges.push_back(part);
        }
        for (std::size_t i = levels.size(); i-- > 0;) {
            const Level& level = levels[i];
            const int count = ranges[i + 1].count;
            for (int step = 1; step < level.radix; ++step) {
                const int index = (level.index(rank) + step) % level.radix;
                const Blocks part{ranges[i].first + index * count, count};
                recorder.round().copy({rank, Space::output, part},
                                      {level.peer(rank, index), Space::output, part});
            }
        }
        programs.push_back(recorder.take());
    }
    return allreduce(ranks, ranks, std::move(programs));
}

} // namespace tutti::algorithm
