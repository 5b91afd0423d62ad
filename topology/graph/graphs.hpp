#pragma once

#include <tutti/detail/export.h>

#include <span>
#include <string_view>
#include <vector>

namespace tutti::graph {

/// The ways of choosing the skips of a circulant graph that Träff 2024, section 2.1, names.
enum class Skips { halving, power_of_two, fully_connected, square_root };

std::string_view to_string(Skips kind);

/// Skips s_0 = p > s_1 > ... > s_q = 1 of a circulant graph on `ranks` members: member r is joined to
/// (r +- s_k) mod p for every k >= 1. The sequence starts with `ranks` itself, so that it is {1} for one
/// member.
///
/// - halving: s_{k+1} = ceil(s_k / 2): q = ceil(log2 p) rounds (Träff 2024, section 2)
/// - power_of_two: the largest power of two below s_k: also ceil(log2 p) rounds (Bruck et al. 1997)
/// - fully_connected: p, p-1, ..., 1: p - 1 rounds
/// - square_root: steps of ceil(sqrt p) down to ceil(sqrt p), halving below: about sqrt p + log2(p) / 2
/// rounds
///
/// Throws std::invalid_argument when `ranks` < 1.
std::vector<int> skips(int ranks, Skips kind);

/// Checks a caller's own sequence (s_0 = ranks down to 1) and returns it.
///
/// Corollary 2 of Träff 2024 requires that every 0 < i < p is a sum of different skips. Algorithm 1 as
/// written needs a little more: a block must not be sent on in the round in which it arrives, that is s_k <=
/// 2 s_{k+1}. (p = 7 with skips 3 2 1 has every sum, yet R[3] would be sent and received in the same round.)
/// With it, every i below s_k is s_{k+1} plus some i' below s_{k+1}, so the sums of Corollary 2 exist.
///
/// Throws std::invalid_argument naming the first skip that breaks the rule and what would be accepted there.
std::vector<int> checked_skips(int ranks, std::span<const int> sequence);

/// ceil(log2 ranks), the number of rounds of the logarithmic algorithms; `ranks` >= 1.
int rounds_log2(int ranks);

// A torus is given by its dimensions, slowest first: a rank is a number whose digits are its coordinates. A
// ring has one dimension, a mesh (of rows and columns, closed round) two or more, and a hypercube has as many
// dimensions of two as its ranks have bits. All functions throw std::invalid_argument when `ranks` < 1.

/// {ranks}
std::vector<int> ring(int ranks);

/// {rows, columns} with rows <= columns as nearly equal as the factors of `ranks` allow; a prime is one row.
std::vector<int> mesh(int ranks);

/// {2, 2, ..., 2}. Throws std::invalid_argument when `ranks` is not a power of two.
std::vector<int> hypercube(int ranks);

/// The distance in rank between neighbours in dimension `index`.
int stride(const std::vector<int>& dimensions, std::size_t index);

TUTTI_COMPONENT_API bool is_power_of_two(int ranks);

/// In increasing order; none of 1.
std::vector<int> prime_factors(int ranks);

} // namespace tutti::graph
