#pragma once

#include "schedule/pattern.hpp"
#include "schedule/schedule.hpp"

#include <span>

namespace tutti::algorithm {

// Every function below is pure: ranks (and skips) in, schedule out. All take any number of ranks >= 1.
// p = ranks, q = number of skips after the first, n = one of p blocks, m = the whole vector.

/// The primal pattern of the circulant graph: an allgather of p blocks along increasing skips. In the round
/// with skip s, up to the next larger skip s', member r receives blocks r+s .. r+s'-1 from member r+s.
/// Invariant: before that round member r has blocks r .. r+s-1. Rounds q, blocks p - 1.
/// (Träff 2024, second half of Alg. 2; Bruck et al. 1997 with other skips.)
schedule::Pattern circulant_allgather_pattern(int ranks, std::span<const int> skips);

/// Allgather on the circulant graph. Rounds q, blocks p - 1, no scratch.
schedule::Schedule circulant_allgather(int ranks, std::span<const int> skips);

/// Reduce-scatter on the circulant graph, the dual of the allgather (Träff 2024, Alg. 1, Theorem 1). Rounds
/// q, blocks and reductions p - 1 each, commutative operators. Scratch: the blocks that are partly reduced on
/// the way.
schedule::Schedule circulant_reduce_scatter(int ranks, std::span<const int> skips);

/// Allreduce as that reduce-scatter, then that allgather (Träff 2024, Alg. 2, Theorem 2). Rounds 2q, blocks
/// 2(p - 1), reductions p - 1, commutative operators, no scratch.
schedule::Schedule circulant_allreduce(int ranks, std::span<const int> skips);

/// Allreduce of whole vectors in ceil(log2 p) rounds, the census algorithm (Bar-Noy, Kipnis and Schieber
/// 1993; Träff et al. 2023, Listing 2, Prop. 1). One vector sent a round, at most 2q - 1 reductions of
/// vectors. Members combine in different orders, so results agree bit for bit only where the operator is
/// exact.
schedule::Schedule census_allreduce(int ranks);

/// Allreduce in one exchange: member r combines block r of all inputs in rank order and stores it to all
/// outputs.
schedule::Schedule direct_allreduce(int ranks);

/// Reduce-scatter in one exchange: member r combines block r of all inputs in rank order.
schedule::Schedule direct_reduce_scatter(int ranks);

/// Allgather in one exchange: member r stores its block to all outputs.
schedule::Schedule direct_allgather(int ranks);

/// Barrier in one exchange: everybody waits for everybody.
schedule::Schedule direct_barrier(int ranks);

/// Allreduce in one exchange in which every member reads every input whole and combines in rank order. p - 1
/// vectors received: for messages that travel inside the mailbox.
schedule::Schedule flat_allreduce(int ranks);

/// Allgather in one exchange in which every member reads every block: for messages inside the mailbox.
schedule::Schedule flat_allgather(int ranks);

/// Dissemination barrier over the circulant graph with halving skips: ceil(log2 p) rounds.
schedule::Schedule dissemination_barrier(int ranks);

} // namespace tutti::algorithm
