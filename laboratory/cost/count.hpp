#pragma once

#include "algorithm/registry.hpp"
#include "schedule/schedule.hpp"

#include <vector>

namespace tutti::cost {

/// The members' work, counted from the schedule.
struct Tally {
    /// Rounds in which any member reads or writes another's vector.
    long rounds = 0;
    // One entry for each member, or just one that stands for all where they are symmetric:
    /// Blocks read from others or stored here by others; a block read twice in a round counts once.
    std::vector<long> received;
    /// Blocks that others read from here or that are stored into others, counted in the same way.
    std::vector<long> sent;
    /// Blocks combined: `every` combines ranks - 1 times for each block. A barrier's tokens are not data:
    /// they are neither combined nor kept.
    std::vector<long> reductions;
    /// Blocks of all scratch vectors together; where one entry stands for all, of the member with the most.
    std::vector<long> scratch;

    /// Rounds, and blocks received and combined by the member with the most.
    algorithm::CostTerms most() const;
    /// Scratch of the member with the most.
    long most_scratch() const;
};

/// O(blocks moved), on a torus of two or more dimensions times the ranks of one slowest coordinate.
Tally tally(const schedule::Schedule& schedule);

/// The work of a collective's busiest member on vectors of m bytes: rounds, and multiples of m that it
/// receives and combines.
struct Work {
    double rounds = 0;
    double volume = 0;
    double reductions = 0;

    friend Work operator+(const Work& a, const Work& b) {
        return {a.rounds + b.rounds, a.volume + b.volume, a.reductions + b.reductions};
    }
};

/// The linear model: a message of m bytes takes alpha + m beta, combining m bytes with m others m gamma. In
/// whatever unit of time.
struct Linear {
    double alpha = 0;
    double beta = 0;
    double gamma = 0;
};

/// Counted from the schedule for the member with the most. O(blocks moved).
Work busiest_member(const schedule::Schedule& schedule);

/// Counted from the schedule with all members in step, as the papers do: a round lasts as long as the most
/// that any member receives and combines in it. If the same members are busy in all rounds, this is the work
/// of the busiest one; with elimination (Rabenseifner & Träff 2004) it is more. Sent blocks do not count:
/// members pull, and several may pull the same at once. O(blocks moved).
Work in_step(const schedule::Schedule& schedule);

double time(const Work& work, const Linear& linear, double bytes);

// Formulas of Rabenseifner & Träff 2004, section 3.5, for its four protocols. `ranks` >= 2.

/// Optimal allgather of whole vectors, then p - 1 reductions: q, p - 1, p - 1.
Work ring_latency_optimal(int ranks);
/// Elimination on whole vectors: q + 1, q + 1, q.
Work elimination_latency_optimal(int ranks);
/// Reduce-scatter on a ring, then an optimal allgather: q + p - 1, 2 (1 - 1/p), 1 - 1/p.
Work ring_bandwidth_optimal(int ranks);
/// Elimination with halving, p' the largest power of two up to p: 2 q, 2 (1.5 - 1/p'), 1.5 - 1/p'.
Work elimination_bandwidth_optimal(int ranks);

// Formulas of Träff et al. 2023, Table I, for its own algorithms, without local copies; Träff 2024, Corollary
// 1, for reduce-scatter. `ranks` >= 1.

/// Prop. 1: q, q, 2 q.
Work census_allreduce(int ranks);
/// q, q, q.
Work circulant_reduce(int ranks);
/// Prop. 2: q, (2^q - 1) / p, (2^q - 1) / p.
Work circulant_reduce_scatter_2023(int ranks);
/// Corollary 1: q, (p - 1) / p, (p - 1) / p.
Work circulant_reduce_scatter(int ranks);
/// Prop. 3: q, (p - 1) / p, 0.
Work circulant_allgather(int ranks);
/// The butterfly that the table holds against these where p is not a power of two: q + 1, q + 1, q.
Work butterfly_allreduce(int ranks);

} // namespace tutti::cost
