#pragma once

#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <span>

namespace tutti {

/// The numbers of elements of irregular blocks, one for each member in rank order. A type of its own, so that
/// a vector of std::size_t that is data is not taken for them, nor they for data. Refers to the numbers and
/// does not keep them: they must live until the call returns.
///
/// Without displacements blocks lie back to back and fill the vector. With them block i starts that many
/// elements behind the start of the vector, as with the v-forms of MPI: blocks may come in any order and
/// leave gaps, which are neither read nor written. The vector must reach to the end of the last block. Blocks
/// that are written must not overlap; those that are only read may. Where a block is empty its displacement
/// says nothing.
class Counts {
public:
    /// From any contiguous range of std::size_t.
    explicit constexpr Counts(std::span<const std::size_t> counts) : counts_(counts) {}
    /// The same with displacements, as many as counts.
    explicit constexpr Counts(std::span<const std::size_t> counts, std::span<const std::size_t> displacements)
        : counts_(counts), displacements_(displacements), has_displacements_(true) {}

    /// The counts.
    constexpr std::span<const std::size_t> span() const { return counts_; }

    /// Whether it was made with displacements.
    constexpr bool has_displacements() const { return has_displacements_; }
    /// Empty without.
    constexpr std::span<const std::size_t> displacements() const { return displacements_; }

private:
    std::span<const std::size_t> counts_;
    std::span<const std::size_t> displacements_;
    bool has_displacements_ = false;
};

/// The counts of a gather or scatter, and displacements if there are any, which only the root knows: the
/// others know the length of their own block. All members say so; what those give that are not the root is
/// not looked at, which may be tutti::counts_at_root.
class CountsAtRoot {
public:
    constexpr CountsAtRoot() = default;
    /// The root's counts.
    explicit constexpr CountsAtRoot(std::span<const std::size_t> counts) : counts_(counts) {}
    /// The same with displacements.
    explicit constexpr CountsAtRoot(std::span<const std::size_t> counts,
                                    std::span<const std::size_t> displacements)
        : counts_(counts, displacements) {}

    /// What the root gives.
    constexpr const Counts& counts() const { return counts_; }

private:
    Counts counts_{std::span<const std::size_t>()};
};

inline constexpr CountsAtRoot counts_at_root{};

} // namespace tutti
