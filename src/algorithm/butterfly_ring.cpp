#include "algorithm/algorithms.hpp"
#include "algorithm/rank_order.hpp"
#include "graph/torus.hpp"

namespace tutti::algorithm {

using schedule::Blocks;
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
