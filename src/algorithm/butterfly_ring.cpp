#include "algorithm/algorithms.hpp"
#include "algorithm/rank_order.hpp"
#include "graph/torus.hpp"

#include <algorithm>

namespace tutti::algorithm {

using schedule::Blocks;
using schedule::Collective;
using schedule::Place;
using schedule::Recorder;
using schedule::Schedule;
using schedule::Space;
using schedule::Symmetry;

namespace {

/// One level: the units of `stride` ranks each join in groups of `radix`.
struct Level {
    int radix;
    int stride;

    int index(int rank) const { return rank / stride % radix; }
    int peer(int rank, int index) const { return rank + (index - this->index(rank)) * stride; }
};

/// The prime factors of `ranks`, twos first, as many of them together as do not exceed `most`.
std::vector<Level> levels_of(int ranks, int most = 1) {
    std::vector<Level> levels;
    int stride = 1;
    for (const int factor : graph::prime_factors(ranks)) {
        if (!levels.empty() && levels.back().radix * factor <= most) {
            levels.back().radix *= factor;
        } else {
            levels.push_back({factor, stride});
        }
        stride *= factor;
    }
    return levels;
}

Schedule allreduce(int ranks, int blocks, std::vector<schedule::Program> programs) {
    return {Collective::allreduce, ranks, blocks, Symmetry::none, std::move(programs)};
}

} // namespace

// In a level every member combines the vectors of its group, which all of them read until the last round of
// the level, so the results alternate between two vectors.
Schedule butterfly_ring_allreduce(int ranks) {
    const std::vector<Level> levels = levels_of(ranks);
    const Blocks vector{0, 1};
    const auto after = [&](std::size_t level) {
        return (levels.size() - 1 - level) % 2 == 0 ? Space::output : Space::scratch0;
    };
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        Recorder recorder;
        if (levels.empty()) {
            recorder.round().copy({0, Space::output, vector}, {0, Space::input, vector});
        }
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const Level& level = levels[i];
            const Space before = i == 0 ? Space::input : after(i - 1);
            const Place result{rank, after(i), vector};
            combine_in_rank_order(recorder, result, result, level.index(rank), level.radix, [&](int index) {
                return Place{level.peer(rank, index), before, vector};
            });
        }
        programs.push_back(recorder.take());
    }
    return allreduce(ranks, 1, std::move(programs));
}

// Invariant: before a level all members of a unit are responsible for different blocks, and those of equal
// place in their units for the same ones. The level divides these among the group. What a member gathers
// before its own operand's turn waits in scratch, because that operand is where the result goes.
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

// Invariant: before a level the members of a unit have the same partial result. In the level's one round each
// reads those of all units of its group and combines them in rank order, from the left like all others. What
// comes before its own waits in scratch: the result may go to where its own input lies.
Schedule radix_exchange(Collective collective, int ranks, int radix) {
    const std::vector<Level> levels = levels_of(ranks, radix);
    const Blocks vector{0, 1};
    std::vector<schedule::Program> programs;
    for (int rank = 0; rank < ranks; ++rank) {
        Recorder recorder;
        if (levels.empty()) {
            recorder.round().copy({0, Space::output, vector}, {0, Space::input, vector});
        }
        const Place lower{rank, Space::scratch1, vector};
        Space before = Space::input;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const Level& level = levels[i];
            const Space after = (levels.size() - 1 - i) % 2 == 0 ? Space::output : Space::scratch0;
            const Place result{rank, after, vector};
            const auto operand = [&](int index) { return Place{level.peer(rank, index), before, vector}; };
            const int own = level.index(rank);
            recorder.round();
            if (own == 0) {
                recorder.reduce(result, operand(0), operand(1));
            } else {
                recorder.copy(lower, operand(0));
                for (int index = 1; index < own; ++index) {
                    recorder.reduce(lower, lower, operand(index));
                }
                recorder.reduce(result, lower, operand(own));
            }
            for (int index = std::max(own + 1, 2); index < level.radix; ++index) {
                recorder.reduce(result, result, operand(index));
            }
            before = after;
        }
        programs.push_back(recorder.take());
    }
    return {collective, ranks, 1, Symmetry::none, std::move(programs)};
}

} // namespace tutti::algorithm
