#include "cost/count.hpp"

#include "cost/messages.hpp"
#include "graph/graphs.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::cost {

using schedule::Move;
using schedule::Schedule;
using schedule::Space;
using schedule::WrittenScratch;

namespace {

void add_traffic(const Schedule& schedule, Tally& tally) {
    const bool symmetric = schedule.symmetry().translates();
    Messages messages(schedule);
    std::vector<char> busy(static_cast<std::size_t>(schedule.rounds()), 0);
    for (int stored = 0; stored < static_cast<int>(schedule.programs().size()); ++stored) {
        const schedule::Program& program = schedule.programs()[static_cast<std::size_t>(stored)];
        for (std::size_t round = 0; round < program.size(); ++round) {
            const auto count = [&](bool is_stored, int owner, int blocks) {
                busy[round] = 1;
                // Under a symmetry what one member receives from all is what all receive from it.
                const std::size_t actor = symmetric ? 0 : static_cast<std::size_t>(stored);
                const std::size_t other = symmetric ? 0 : static_cast<std::size_t>(owner);
                tally.received[is_stored ? other : actor] += blocks;
                tally.sent[is_stored ? actor : other] += blocks;
            };
            messages.for_each(stored, program[round], count);
        }
    }
    tally.rounds = std::ranges::count(busy, 1);
}

long reductions(const Schedule& schedule, const schedule::Program& program) {
    long combined = 0;
    for (const Move& move : program.moves()) {
        const bool one_less = move.prefix == schedule::Prefix::exclusive;
        const long operands = schedule::is_several(move.left.member)
                                  ? schedule::count_of(move.left.member, schedule.ranks())
                                  : 2;
        const long each = move.reduces ? std::max(operands - (one_less ? 2L : 1L), 0L) : 0;
        combined += each * move.to.blocks.count;
    }
    return combined;
}

/// The blocks of scratch that each representative needs, at the rank that needs most. On a torus the range
/// that covers what a member writes is longer at some members than at others, but a translation in the
/// slowest dimension (in the only one of a rotation) takes every range to one of the same length.
std::vector<long> scratch(const Schedule& schedule) {
    const std::size_t stored = schedule.programs().size();
    const bool translates = schedule.symmetry().translates();
    const int differing = translates ? schedule.symmetry().generators().back() : 1;
    std::vector<long> most(stored, 0);
    for (std::size_t program = 0; program < stored; ++program) {
        std::vector<WrittenScratch> vectors;
        vectors.reserve(static_cast<std::size_t>(schedule.scratch_vectors()));
        for (int vector = 0; vector < schedule.scratch_vectors(); ++vector) {
            vectors.emplace_back(schedule, program,
                                 static_cast<Space>(static_cast<int>(Space::scratch0) + vector));
        }
        for (int rank = 0; !vectors.empty() && rank < differing; ++rank) {
            long blocks = 0;
            for (const WrittenScratch& vector : vectors) {
                blocks += vector.range(translates ? rank : static_cast<int>(program)).count;
            }
            most[program] = std::max(most[program], blocks);
        }
    }
    return most;
}

double log2_up(int ranks) {
    return graph::rounds_log2(ranks);
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

Tally tally(const Schedule& schedule) {
    const std::size_t stored = schedule.programs().size();
    Tally tally{0, std::vector<long>(stored, 0), std::vector<long>(stored, 0), std::vector<long>(stored, 0),
                std::vector<long>(stored, 0)};
    add_traffic(schedule, tally);
    if (schedule.collective() == Collective::barrier) {
        return tally;
    }
    for (std::size_t rank = 0; rank < stored; ++rank) {
        tally.reductions[rank] = reductions(schedule, schedule.programs()[rank]);
    }
    tally.scratch = scratch(schedule);
    return tally;
}

algorithm::CostTerms Tally::most() const {
    return {rounds, std::ranges::max(received), std::ranges::max(reductions)};
}

long Tally::most_scratch() const {
    return std::ranges::max(scratch);
}

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
    const double volume = 1.5 - 1.0 / std::bit_floor(static_cast<unsigned>(ranks));
    return {2 * log2_up(ranks), 2 * volume, volume};
}

Work census_allreduce(int ranks) {
    return {log2_up(ranks), log2_up(ranks), 2 * log2_up(ranks)};
}

Work circulant_reduce(int ranks) {
    return {log2_up(ranks), log2_up(ranks), log2_up(ranks)};
}

Work circulant_reduce_scatter_2023(int ranks) {
    const double volume = (std::bit_ceil(static_cast<unsigned>(ranks)) - 1.0) / ranks;
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
