#pragma once

#include "graph/level_tree.hpp"
#include "schedule/pattern.hpp"
#include "schedule/schedule.hpp"

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

/// All of a vector, in a schedule of one block.
inline constexpr schedule::Blocks whole_vector{0, 1};

// The algorithms that are their own thing rather than derived from a pattern (families.hpp). Every function
// is pure: ranks (and root or distance) in, schedule out. All take any number of ranks >= 1 unless noted
// otherwise. p = ranks, q = ceil(log2 p), n = one of p blocks, m = the whole vector.

/// Allreduce of whole vectors in q rounds, the census algorithm (Bar-Noy, Kipnis and Schieber 1993; Träff et
/// al. 2023, Listing 2, Prop. 1). One vector sent a round, at most 2q - 1 reductions of vectors. Members
/// combine in different orders, so results agree bit for bit only if the operator is exact.
schedule::Schedule census_allreduce(int ranks);

/// Dissemination barrier over the circulant graph with halving skips: q rounds.
schedule::Schedule dissemination_barrier(int ranks);

// One exchange, in shared memory: every member does its share of the work in one pass over the vectors of
// all.

/// Everybody waits for everybody.
schedule::Schedule direct_barrier(int ranks);
/// Member r copies block r of the root's input to all outputs.
schedule::Schedule direct_broadcast(int ranks, int root);
/// Member r combines block r of all inputs in rank order and stores it to the root's output.
schedule::Schedule direct_reduce(int ranks, int root);
/// Member r combines block r of all inputs in rank order and stores it to all outputs.
schedule::Schedule direct_allreduce(int ranks);
/// Member r combines block r of all inputs in rank order and keeps it; then everybody copies the others'.
schedule::Schedule reduce_scatter_allgather(int ranks);
/// Member r combines block r of all inputs in rank order.
schedule::Schedule direct_reduce_scatter(int ranks);
/// Member r stores its block to all outputs.
schedule::Schedule direct_allgather(int ranks);
/// Broadcast, gather, scatter or alltoall in which the owner of a block, or of the whole vector, stores it to
/// who wants it (`pushed`), or else everybody copies what it wants.
schedule::Schedule copies(Collective collective, int ranks, int root, bool pushed);
/// Member r copies the vector of member r - distance.
schedule::Schedule direct_shift(int ranks, int distance);

/// Allreduce in which every member reads every input whole and combines in rank order. p - 1 vectors
/// received: for messages that travel inside the mailbox.
schedule::Schedule flat_allreduce(int ranks);
/// The same at the root alone.
schedule::Schedule flat_reduce(int ranks, int root);
/// Allgather in which every member reads every block.
schedule::Schedule flat_allgather(int ranks);

/// Reduce-scatter in p - 1 rounds of one block in which every member combines its block of all inputs in rank
/// order, from the left: takes operators that are not commutative.
schedule::Schedule fully_connected_reduce_scatter(int ranks);

/// Allreduce by a butterfly whose levels are the prime factors of p (Rabenseifner & Träff 2004, sections 3.4
/// and 3.6): in one with factor r, r - 1 rounds in which a member reads the vectors of the other units of its
/// group. Sum of r - 1 rounds and vectors: ceil(log2 p) for 3 * 2^k and 9 * 2^k. Rank order, one association.
///
/// In the paper the vectors come round a ring: in round k member i of a group gets that of i - 1 - k. To
/// combine all in rank order with one association, which starts with member 0, it then has to keep up to r -
/// 1 vectors until the last one is there; that is why the paper postpones all reductions to the end. Here a
/// member reads every vector where it lies, and so takes them in rank order and combines each at once: the
/// same rounds, volume, reductions and bits, without r - 1 vectors of scratch and the copies into them. A
/// ring also gives every sender one receiver in a round; here all members of a group read the same one, which
/// keeps its caches busy but not the member.
schedule::Schedule butterfly_ring_allreduce(int ranks);
/// The same with each level dividing the blocks among the group, and as many rounds back: 2 (p - 1) blocks.
schedule::Schedule butterfly_ring_halving_allreduce(int ranks);
enum class Inclusion { inclusive, exclusive };

/// Prefixes on a hypercube (Grama et al. 2003, Alg. 4.9), for any number of ranks: q rounds of one vector, in
/// rank order.
schedule::Schedule hypercube_scan(int ranks, Inclusion inclusion);
/// Prefixes handed on from rank to rank: p - 1 rounds.
schedule::Schedule ring_scan(int ranks, Inclusion inclusion);
/// Member r forms the prefixes of block r of all inputs and stores each as it is formed: one pass, m read and
/// m written a member.
schedule::Schedule direct_scan(int ranks, Inclusion inclusion);

/// One round in which every member combines the vectors of all below it, of one block, from the left: p - 1
/// blocks and p - 1 reductions (p - 2 exclusive) at the last member. For vectors so short that one exchange
/// is all they cost.
schedule::Schedule flat_scan(int ranks, Inclusion inclusion);

/// Prefixes on a tree of groups, a round a level: sums of groups go from group to group, and every member
/// prepends those before its own. On a tree that is split_to_combine. Bracketed as hypercube_scan is, where
/// the tree is aligned.
schedule::Schedule levels_scan(const graph::LevelTree& tree, Inclusion inclusion);

// All-to-all (Grama et al. 2003, all-to-all personalized communication). Blocks received by each member:

/// p - 1 rounds, p (p - 1) / 2 blocks: in round k the p - 1 - k messages that have further to go.
schedule::Schedule ring_alltoall(int ranks);
/// Both directions: floor(p / 2) rounds, floor(p^2 / 4) blocks.
schedule::Schedule bidirectional_ring_alltoall(int ranks);
/// On a torus of these dimensions, slowest first: sum of d - 1 rounds, p (d - 1) / 2 blocks for each
/// dimension. A mesh has two dimensions, a hypercube log2 p of two: log2 p rounds of p / 2 blocks.
schedule::Schedule torus_alltoall(const std::vector<int>& dimensions);
/// On a torus of fully connected lines: a round for each dimension, p - p / d blocks in that of d.
schedule::Schedule exchange_alltoall(const std::vector<int>& dimensions);
/// Every message in one hop: p - 1 rounds of one block. In round j, member i exchanges with i XOR (j + 1)
/// where p is a power of two, else it sends to i + j + 1.
schedule::Schedule pairwise_alltoall(int ranks);
/// q rounds on the circulant graph, in each of which a message moves by one skip or stays (Träff 2024,
/// section 4: concatenation as the operator).
schedule::Schedule circulant_alltoall(int ranks);

// Circular shift by `distance` (Grama et al. 2003, section on circular shift), one vector a round.

/// min(distance, p - distance) rounds.
schedule::Schedule ring_shift(int ranks, int distance);
/// Row shift, compensation, column shift: at most half the columns, 1 and half the rows.
schedule::Schedule mesh_shift(int ranks, int distance);
/// One round for each power of two in `distance`.
schedule::Schedule hypercube_shift(int ranks, int distance);

/// The neighbours that a member names: those from which it receives, and those to which it sends; or
/// schedule::Source::nobody.
struct NamedNeighbors {
    std::vector<int> sources;
    std::vector<int> destinations;
};

/// The graph in which the members have named these neighbours. The i-th edge of several from one member to
/// another is the i-th for both. Throws std::invalid_argument if a rank does not exist, or if the two ends of
/// an edge do not name it equally often. O(e log e + p) for e edges.
schedule::Graph graph_of(std::span<const NamedNeighbors> members);

/// The neighbours of a member in a Cartesian grid: before and after it along each dimension. The last
/// coordinate of consecutive ranks changes fastest. \pre `wraps` has as many entries as `dims`.
std::vector<int> grid_neighbors(int rank, const std::vector<int>& dims, const std::vector<bool>& wraps);

/// The graph of all of them. Block 2 d of a member goes to the member before it along dimension d, as whose
/// block 2 d + 1 it arrives, and the other way round.
schedule::Graph grid(const std::vector<int>& dims, const std::vector<bool>& wraps);

/// All-to-all among neighbours: every member copies each block of its output from the input of its sender,
/// in one round. The number of blocks is that of the member with the most.
schedule::Schedule neighbor_exchange(schedule::Graph graph);

} // namespace tutti::algorithm
