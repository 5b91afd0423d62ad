// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/standard.hpp>

#include <bit>
#include <cstdint>

namespace tutti::v0_1::detail {

/// How x_0 op x_1 op ... op x_{n-1} is associated.
///
/// - tree: as a binary tree that depends on n alone, whose left part has the largest power of two below n. A
///   butterfly of 2^k members combines in that order
/// - left: from the left, as a loop does
enum class Association : std::uint8_t { tree, left };

/// The number of operands, of `operands` >= 2, in the left part of the tree.
constexpr int left_part(int operands) noexcept {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(operands - 1)));
}

/// Combines operands that come one after the other with partial results of the operands before them. One
/// partial result is kept per power of two in their number (left: one in total). The n-th operand, counted
/// from 0, goes through the partial results on its left, from the last to the first:
///
///   n = 6, 110 in binary: x_6; then (x_4 op x_5) op that; then (x_0 op .. op x_3) op that
///
/// The result that combines a power of two of operands is kept; the last is x_0 op ... op x_n.
/// `combine(place)` must combine the partial result at `place`, as the left operand, with the current value.
class Merges {
public:
    constexpr Merges(int operands_before, Association association) noexcept
        : levels_(association == Association::tree ? static_cast<unsigned>(operands_before)
                                                   : static_cast<unsigned>(operands_before != 0)),
          kept_(std::countr_one(levels_)), place_(association == Association::tree ? kept_ : 0) {}

    /// The combinations up to the result that is kept; returns the place for it.
    template <class Combine>
    constexpr int of_kept(Combine combine) const {
        for (int place = 0; place < kept_; ++place) {
            combine(place);
        }
        return place_;
    }
    /// The combinations after it.
    template <class Combine>
    constexpr void of_rest(Combine combine) const {
        for (unsigned left = levels_ >> kept_ << kept_; left != 0; left &= left - 1) {
            combine(std::countr_zero(left));
        }
    }
    template <class Combine>
    constexpr void of_all(Combine combine) const {
        of_kept(combine);
        of_rest(combine);
    }
    /// Whether the combination at this place is the last of all.
    constexpr bool is_last(int place) const noexcept { return levels_ >> place == 1; }

private:
    /// Bit k is the partial result of 2^k operands.
    unsigned levels_;
    int kept_;
    int place_;
};

/// The largest number of partial results that `operands` operands need.
constexpr int partial_results(int operands, Association association) noexcept {
    return association == Association::tree
               ? static_cast<int>(std::bit_width(static_cast<unsigned>(operands)))
               : 1;
}

} // namespace tutti::v0_1::detail
