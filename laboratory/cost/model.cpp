#include "cost/model.hpp"

#include "cost/count.hpp"
#include "graph/circulant.hpp"
#include "graph/torus.hpp"

#include <bit>
#include <utility>
#include <vector>

namespace tutti::cost {

using schedule::Schedule;

namespace {

double log2_up(int ranks) {
    return graph::rounds_log2(ranks);
}

double power_up_to(int ranks) {
    return std::bit_floor(static_cast<unsigned>(ranks));
}

double power_from(int ranks) {
    return std::bit_ceil(static_cast<unsigned>(ranks));
}

/// The schedule of one round alone.
Schedule only_round(const Schedule& schedule, int round) {
    std::vector<schedule::Program> programs;
    for (const schedule::Program& program : schedule.programs()) {
        const schedule::Round moves = program[static_cast<std::size_t>(round)];
        programs.push_back({{moves.begin(), moves.end()}});
    }
    return {schedule.collective(), schedule.ranks(),    schedule.blocks(),
            schedule.symmetry(),   std::move(programs), schedule.root()};
}

/// The share of all blocks except one in a vector.
double all_but_one(int ranks) {
    return 1 - 1.0 / ranks;
}

} // namespace

Work busiest_member(const Schedule& schedule) {
    const algorithm::CostTerms terms = tally(schedule).most();
    const double blocks = schedule.blocks();
    return {static_cast<double>(terms.rounds), static_cast<double>(terms.blocks) / blocks,
            static_cast<double>(terms.reductions) / blocks};
}

Work in_step(const Schedule& schedule) {
    Work sum;
    for (int round = 0; round < schedule.rounds(); ++round) {
        sum = sum + busiest_member(only_round(schedule, round));
    }
    return sum;
}

double time(const Work& work, const Linear& linear, double bytes) {
    return work.rounds * linear.alpha + work.volume * bytes * linear.beta +
           work.reductions * bytes * linear.gamma;
}

Work ring_latency_optimal(int ranks) {
    return {log2_up(ranks), ranks - 1.0, ranks - 1.0};
}

Work elimination_latency_optimal(int ranks) {
    return {log2_up(ranks) + 1, log2_up(ranks) + 1, log2_up(ranks)};
}

Work ring_bandwidth_optimal(int ranks) {
    return {log2_up(ranks) + ranks - 1, 2 * all_but_one(ranks), all_but_one(ranks)};
}

Work elimination_bandwidth_optimal(int ranks) {
    const double volume = 1.5 - 1 / power_up_to(ranks);
    return {2 * log2_up(ranks), 2 * volume, volume};
}

Work census_allreduce(int ranks) {
    return {log2_up(ranks), log2_up(ranks), 2 * log2_up(ranks)};
}

Work circulant_reduce(int ranks) {
    return {log2_up(ranks), log2_up(ranks), log2_up(ranks)};
}

Work circulant_reduce_scatter_2023(int ranks) {
    const double volume = (power_from(ranks) - 1) / ranks;
    return {log2_up(ranks), volume, volume};
}

Work circulant_reduce_scatter(int ranks) {
    return {log2_up(ranks), all_but_one(ranks), all_but_one(ranks)};
}

Work circulant_allgather(int ranks) {
    return {log2_up(ranks), all_but_one(ranks), 0};
}

Work butterfly_allreduce(int ranks) {
    const double extra = graph::is_power_of_two(ranks) ? 0 : 1;
    return {log2_up(ranks) + extra, log2_up(ranks) + extra, log2_up(ranks)};
}

} // namespace tutti::cost
