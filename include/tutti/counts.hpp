#pragma once

#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <span>

namespace tutti {

/// The numbers of elements of irregular blocks, one per member in rank order. It is a type of its own so that
/// a buffer of std::size_t cannot be mistaken for counts, nor counts for a buffer. A Counts object refers to
/// the numbers and does not copy them: they must live until the call returns.
///
/// Without displacements, blocks lie back to back and fill the buffer. With displacements, block i starts
/// displacements[i] elements after the start of the buffer, as in the v-collectives of MPI. Blocks may be in
/// any order and may leave gaps, which are neither read nor written. The buffer must reach to the end of the
/// last block. Blocks that are written must not overlap; blocks that are only read may. The displacement of
/// an empty block is ignored.
class Counts {
public:
    /// Counts without displacements, from any contiguous range of std::size_t.
    explicit constexpr Counts(std::span<const std::size_t> counts) : counts_(counts) {}
    /// Counts with displacements; both ranges must have the same length.
    explicit constexpr Counts(std::span<const std::size_t> counts, std::span<const std::size_t> displacements)
        : counts_(counts), displacements_(displacements), has_displacements_(true) {}

    /// The counts.
    constexpr std::span<const std::size_t> span() const { return counts_; }

    /// Whether there are displacements.
    constexpr bool has_displacements() const { return has_displacements_; }
    /// The displacements; empty if there are none.
    constexpr std::span<const std::size_t> displacements() const { return displacements_; }

private:
    std::span<const std::size_t> counts_;
    std::span<const std::size_t> displacements_;
    bool has_displacements_ = false;
};

/// The counts of a gather or scatter, with or without displacements, that only the root has; every other
/// member knows the length of its own block. Every member must pass a CountsAtRoot. Only the root's is read;
/// the others can pass tutti::counts_at_root.
class CountsAtRoot {
public:
    constexpr CountsAtRoot() = default;
    /// The root's counts, without displacements.
    explicit constexpr CountsAtRoot(std::span<const std::size_t> counts) : counts_(counts) {}
    /// The root's counts with displacements; both ranges must have the same length.
    explicit constexpr CountsAtRoot(std::span<const std::size_t> counts,
                                    std::span<const std::size_t> displacements)
        : counts_(counts, displacements) {}

    /// The counts that the root passed.
    constexpr const Counts& counts() const { return counts_; }

private:
    Counts counts_{std::span<const std::size_t>()};
};

inline constexpr CountsAtRoot counts_at_root{};

} // namespace tutti
