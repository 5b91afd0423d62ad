#pragma once

#include "algorithm/levels/levels.hpp"
#include "algorithm/registry.hpp"
#include "graph/graphs.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace tutti::algorithm::rows {

// The papers that rows name, see CITATION.cff.

inline constexpr std::string_view traeff_alg1 = "Träff 2024, Alg. 1, Theorem 1";
inline constexpr std::string_view traeff_alg2 = "Träff 2024, Alg. 2, Theorem 2";
inline constexpr std::string_view traeff_cor2 = "Träff 2024, Corollary 2";
inline constexpr std::string_view traeff_sec4 = "Träff 2024, section 4";
inline constexpr std::string_view traeff_prop3 = "Träff et al. 2023, Prop. 3; Träff 2024, Alg. 2";
inline constexpr std::string_view traeff_census = "Träff et al. 2023, Listing 2, Prop. 1";
inline constexpr std::string_view traeff_reduce = "Träff et al. 2023, Listings 3 and 4";
inline constexpr std::string_view traeff_gather = "Träff et al. 2023, section III-F";
inline constexpr std::string_view rt_butterfly = "Rabenseifner & Träff 2004, section 2";
inline constexpr std::string_view rt_overlapping = "Rabenseifner & Träff 2004, section 3.2";
inline constexpr std::string_view rt_nonoverlapping = "Rabenseifner & Träff 2004, section 3.3";
inline constexpr std::string_view rt_elimination = "Rabenseifner & Träff 2004, sections 1 and 3.1";
inline constexpr std::string_view rt_ring = "Rabenseifner & Träff 2004, sections 3.4 and 3.6";
inline constexpr std::string_view rt_radix =
    "Rabenseifner & Träff 2004, section 3.6, with exchanges for rings";
inline constexpr std::string_view grama_broadcast =
    "Grama et al. 2003, one-to-all broadcast and all-to-one reduction";
inline constexpr std::string_view grama_allgather = "Grama et al. 2003, all-to-all broadcast and reduction";
inline constexpr std::string_view grama_gather = "Grama et al. 2003, scatter and gather";
inline constexpr std::string_view grama_alltoall = "Grama et al. 2003, all-to-all personalized communication";
inline constexpr std::string_view grama_shift = "Grama et al. 2003, circular shift";
inline constexpr std::string_view grama_scan = "Grama et al. 2003, Alg. 4.9";
inline constexpr std::string_view grama_parts = "Grama et al. 2003, splitting messages into parts";
inline constexpr std::string_view shared_memory = "shared memory, one exchange";
inline constexpr std::string_view shared_memory_twice = "shared memory, two exchanges";

// The closed forms that rows share, for p ranks and a root (or distance) that most do not depend on.

inline long log2_up(int p) {
    return graph::rounds_log2(p);
}

inline int log2_down(int p) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(p))) - 1;
}

/// The largest power of two that is not above p.
inline long power_below(int p) {
    return static_cast<long>(std::bit_floor(static_cast<unsigned>(p)));
}

// ---- Scratch, in blocks ----

inline constexpr auto no_scratch = [](int, int) -> long { return 0; };
inline constexpr auto one_block = [](int, int) -> long { return 1; };

/// Partial results of members that are not the root.
inline constexpr auto one_partial = [](int p, int) -> long { return p > 2 ? 1 : 0; };
inline constexpr auto half_the_blocks = [](int p, int) -> long { return p / 2; };
inline constexpr auto all_but_one = [](int p, int) -> long { return p - 1; };
inline constexpr auto all_but_two = [](int p, int) -> long { return std::max(p - 2, 0); };

/// Blocks that have more than one hop to go.
inline constexpr auto all_but_three = [](int p, int) -> long { return std::max(p - 3, 0); };

/// The blocks that the first to receive half of them passes on: all except its own.
inline constexpr auto half_but_own = [](int p, int) -> long { return std::max(p / 2 - 1, 0); };

/// Blocks on the way through a member, whose own one is not among them.
template <graph::Skips kind>
long largest_gap(int p, int /*root*/) {
    const auto skips = graph::skips(p, kind);
    int gap = 1;
    for (std::size_t index = 0; index + 1 < skips.size(); ++index) {
        gap = std::max(gap, skips[index] - skips[index + 1]);
    }
    return gap - 1;
}

/// All rows except one's own, whose range starts within a row at some members; in a single row, all blocks
/// that another member has the last word on.
inline long mesh_partials(int p, int /*root*/) {
    const auto mesh = graph::mesh(p);
    return mesh[0] == 1 ? std::max(p - 2, 0) : (mesh[0] - 1L) * mesh[1];
}

/// The partial results of circulant-uniform lie within the blocks from its second jump, 1 or 2, to p - 2
/// before a member's own; the second jump is 2 if the third skip, p / 2^(q - 2) rounded up, is 4.
inline long uniform_partials(int p, int /*root*/) {
    const long q = log2_up(p);
    return q < 2 ? 0 : p - (p > 3L << (q - 2) ? 3 : 2);
}

// ---- Rounds, blocks and reductions ----

/// One exchange in which a member receives and combines so many blocks.
inline CostTerms one_exchange(int p, long blocks, long reductions) {
    return p == 1 ? CostTerms{} : CostTerms{1, blocks, reductions};
}

inline constexpr auto exchange = [](int p, int) { return one_exchange(p, p - 1, 0); };
inline constexpr auto reduction = [](int p, int) { return one_exchange(p, p - 1, p - 1); };
inline constexpr auto shared_out = [](int p, int) { return one_exchange(p, 2L * (p - 1), p - 1); };
inline constexpr auto single = [](int p, int) { return one_exchange(p, 1, 0); };
inline constexpr auto logarithmic_copy = [](int p, int) { return CostTerms{log2_up(p), p > 1 ? 1 : 0, 0}; };
inline constexpr auto logarithmic_reduction = [](int p, int) {
    return CostTerms{log2_up(p), log2_up(p), log2_up(p)};
};
inline constexpr auto linear_copy = [](int p, int) { return CostTerms{p - 1, p > 1 ? 1 : 0, 0}; };

/// Volumes of a 3-2 elimination protocol with halving, in blocks of which there are as many as the largest
/// power of two (section 3.3: 2 (1.5 - 1/p') m and (1.5 - 1/p') m).
inline CostTerms halving_volume(int p, long rounds) {
    const long blocks = power_below(p);
    return p == 1 ? CostTerms{} : CostTerms{rounds, 3 * blocks - 2, (3 * blocks - 1) / 2};
}

/// Half of the levels halve the vector, the others exchange all that is left.
inline CostTerms halved_then_whole(int p, int /*root*/) {
    const long levels = log2_up(p);
    const long halvings = (levels + 1) / 2;
    const long halved = (1L << halvings) - 1;
    const long whole = levels - halvings;
    return {levels + halvings, 2 * halved + whole, halved + whole};
}

/// Two members become one before the butterfly, and two again after it.
inline CostTerms elimination_2_1_whole(int p, int /*root*/) {
    const long levels = log2_down(p);
    return graph::is_power_of_two(p) ? CostTerms{levels, levels, levels}
                                     : CostTerms{levels + 2, levels + 1, levels + 1};
}

inline CostTerms elimination_2_1_halving(int p, int /*root*/) {
    const long levels = log2_down(p);
    const long blocks = 1L << levels;
    return graph::is_power_of_two(p) ? CostTerms{2 * levels, 2 * (blocks - 1), blocks - 1}
                                     : CostTerms{2 * levels + 2, 3 * blocks - 2, 2 * blocks - 1};
}

inline CostTerms elimination_whole(int p, int /*root*/) {
    const long q = log2_up(p);
    return graph::is_power_of_two(p) ? CostTerms{q, q, q} : CostTerms{q + 1, q + 1, q};
}

inline constexpr auto elimination_halving = [](int p, int) { return halving_volume(p, 2 * log2_up(p)); };

/// Rounds of a butterfly with a ring for every odd factor.
inline long prime_rounds(int p) {
    long rounds = 0;
    for (const int factor : graph::prime_factors(p)) {
        rounds += factor - 1;
    }
    return rounds;
}

/// For a power of two: levels of so many bits of the ranks, the last one of the remaining bits.
template <int bits>
CostTerms radix_counts(int p, int /*root*/) {
    const int levels = static_cast<int>(log2_down(p)) / bits;
    const int left = static_cast<int>(log2_down(p)) % bits;
    const long received = levels * ((1L << bits) - 1) + (1L << left) - 1;
    return {levels + (left > 0 ? 1 : 0), received, received};
}

/// The same terms without anything to combine.
template <CostTerms (*combining)(int p, int root)>
CostTerms signals(int p, int root) {
    const CostTerms terms = combining(p, root);
    return {terms.rounds, terms.blocks, 0};
}

template <int bits>
long radix_partials(int p, int /*root*/) {
    return log2_down(p) > bits ? 1 : 0;
}

/// Steps of a circular shift the shorter way round.
inline long around(int members, int distance) {
    return std::min(distance, members - distance);
}

inline CostTerms mesh_shift_counts(int p, int distance) {
    const auto mesh = graph::mesh(p);
    const int across = distance % mesh[1];
    const long rounds =
        around(mesh[1], across) + (across != 0 && mesh[0] > 1 ? 1 : 0) + around(mesh[0], distance / mesh[1]);
    return {rounds, rounds, 0};
}

/// Half of every member's messages in each of so many rounds of a ring of `members`, on average.
inline long torus_alltoall_blocks(int p, const std::vector<int>& dimensions) {
    long blocks = 0;
    for (const int members : dimensions) {
        blocks += static_cast<long>(p) * (members - 1) / 2;
    }
    return blocks;
}

inline long circulant_alltoall_blocks(int p) {
    const auto skips = graph::skips(p, graph::Skips::halving);
    long blocks = 0;
    for (int offset = 1; offset < p; ++offset) {
        int left = offset;
        for (std::size_t index = 1; index < skips.size(); ++index) {
            if (left >= skips[index]) {
                left -= skips[index];
                ++blocks;
            }
        }
    }
    return blocks;
}

// ---- One group of all, split into groups of at most eight, four or two ----

/// The levels that groups of at most 2^bits make.
template <int bits>
long split_levels(int p) {
    return (log2_up(p) + bits - 1) / bits;
}

/// So many times these levels, in each of which a member combines at most the operands of the others of its
/// group.
template <int bits, int times>
CostTerms whole_on_levels(int p, int /*root*/) {
    const long levels = split_levels<bits>(p);
    const long others = std::min(p - 1L, levels * ((1L << bits) - 1));
    return {times * levels, others, others};
}

/// In each level as many as there are groups in the one outside, at most 2^bits of them, but the own one.
template <int bits>
CostTerms exchanged_on_levels(int p, int /*root*/) {
    constexpr long most = 1L << bits;
    long others = 0;
    for (long groups = p; groups > 1; groups = (groups + most - 1) / most) {
        others += std::min(groups, most) - 1;
    }
    return {split_levels<bits>(p), others, others};
}

/// Copies in so many times the levels that groups of eight make.
template <int times>
CostTerms copies_on_levels(int p, long blocks) {
    return {times * split_levels<3>(p), p == 1 ? 0 : blocks, 0};
}

/// Blocks that a member combines when all share in that: those of a group of the other half, level by level,
/// and up to twice as many if that is smaller.
inline long combined_in_shares(int p) {
    return 2L * (p - 1);
}

/// The largest group that one member acts for, of those that have not all ranks.
inline long largest_group_of_eights(int p) {
    return std::min(p - 1L, 1L << (3 * std::max(split_levels<3>(p) - 1, 0L)));
}

/// Partial results that a member other than the root holds for others.
inline long group_partials(int p, int /*root*/) {
    return p <= 8 ? 0 : std::min(p - 2L, largest_group_of_eights(p));
}

/// The most blocks of a vector for which a member of one of several groups acts in `near`.
inline long near_share(int p, int /*root*/) {
    return p <= most_near ? 0 : p % most_near == 0 ? 1 : p;
}

/// Results of groups of eight and more, of which `vectors` take turns.
template <int vectors>
long level_sums(int p, int /*root*/) {
    return std::clamp(split_levels<3>(p) - 1, 0L, static_cast<long>(vectors));
}

/// For a power of two: in each level of so many bits all messages except those that stay.
template <int bits>
CostTerms radix_alltoall(int p, int /*root*/) {
    CostTerms terms;
    for (int left = p; left > 1;) {
        const int members = std::min(left, 1 << bits);
        terms.blocks += p - p / members;
        ++terms.rounds;
        left /= members;
    }
    return terms;
}

} // namespace tutti::algorithm::rows
