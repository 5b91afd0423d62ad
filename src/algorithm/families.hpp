#pragma once

#include "schedule/pattern.hpp"

#include <span>
#include <vector>

namespace tutti::algorithm {

// The primal patterns of the graph families, from which `dual`, `reverse`, `restrict_to_root`,
// `restrict_to_block` and `then` make the collectives. p = ranks, n = one of p blocks, m = the whole vector,
// q = ceil(log2 p).

/// The allgather of the circulant graph along increasing skips s_0 = p > ... > s_q = 1. In the round with
/// skip s, up to the next larger skip s', member r receives blocks r+s .. r+s'-1 from member r+s. Invariant:
/// before that round member r has blocks r .. r+s-1. As many rounds as skips except one, p - 1 blocks. (Träff
/// 2024, second half of Alg. 2; Bruck et al. 1997 with other skips.)
schedule::Pattern circulant_allgather_pattern(int ranks, std::span<const int> skips);

/// The reduce-scatter on the communication pattern of the census (algorithms.hpp): q rounds, in round k 2^(q
/// - 1 - k) blocks from one member, 2^q - 1 in all; p - 1 reductions. Neither dual to an allgather nor of
/// least volume unless p is a power of two. (Träff et al. 2023, Listings 5 and 6, Prop. 2.)
schedule::Pattern circulant_uniform_pattern(int ranks);

/// The allgather of a torus of these dimensions (slowest first): ring, mesh and hypercube. Sum of d - 1
/// rounds over the dimensions, p - 1 blocks (Grama et al. 2003, all-to-all broadcast on ring, mesh and
/// hypercube).
schedule::Pattern torus_allgather_pattern(const std::vector<int>& dimensions);

/// The allgather of a torus of fully connected lines, slowest dimension first: in the round of a dimension a
/// member receives the blocks of all others of its line. As many rounds as dimensions, p - 1 blocks, and as
/// few as can be in the slow dimensions.
schedule::Pattern levels_allgather_pattern(const std::vector<int>& dimensions);

/// A broadcast of one block along the lines of a torus, dimension by dimension, in each line by recursive
/// doubling: sum of ceil(log2 d) rounds (Grama et al. 2003, one-to-all broadcast on ring, mesh and
/// hypercube).
schedule::Pattern torus_broadcast_pattern(const std::vector<int>& dimensions, bool fastest_first, int root);

/// A broadcast of one block on a balanced binary tree whose leaves are the ranks: q rounds (Grama et al.
/// 2003, one-to-all broadcast on a balanced binary tree). Its dual keeps rank order.
schedule::Pattern tree_broadcast_pattern(int ranks, int root);

/// The two phases of Rabenseifner & Träff 2004: the reduction leaves each block at its owner, the routing
/// takes it to everybody. Rank order, one association.
struct ButterflyPhases {
    schedule::Pattern reduction;
    schedule::Pattern routing;
    /// For each block, a member that has its result in between.
    std::vector<int> owners;
};

// In the first `halvings` levels members exchange halves of their blocks, in the later ones everything: what
// the paper decides by its threshold b. `blocks` must be divisible that often for blocks to be equal. On a
// power of two all three are the plain butterfly (section 2): log2 p rounds, and as many again as halvings.

/// Overlapping 3-2 elimination (section 3.2): q rounds to reduce.
ButterflyPhases butterfly_overlapping(int ranks, int blocks, int halvings);
/// Non-overlapping 3-2 and 2-1 elimination (section 3.3): q rounds to reduce.
ButterflyPhases butterfly_nonoverlapping(int ranks, int blocks, int halvings);
/// 2-1 elimination before everything else, which the others improve on (section 3.1): q rounds to reduce, all
/// of m in the first.
ButterflyPhases butterfly_elimination_2_1(int ranks, int blocks, int halvings);

/// The reduction phase with overlapping elimination on p blocks, and a round that takes each to its rank.
schedule::Pattern butterfly_reduce_scatter_pattern(int ranks);

} // namespace tutti::algorithm
