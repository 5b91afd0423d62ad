#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::run {

/// A piece of memory.
struct Range {
    std::uintptr_t start = 0;
    std::size_t bytes = 0;

    friend bool overlap(const Range& a, const Range& b) {
        // Distances wrap around if the other piece comes first, and are huge then.
        return a.bytes != 0 && b.bytes != 0 && (a.start - b.start < b.bytes || b.start - a.start < a.bytes);
    }
};

/// Which memory of each member's vectors a call reads, and which it writes.
class Footprint {
public:
    Footprint() = default;
    /// The footprint of a call in which a member's block has `block` elements and starts at
    /// `offsets`[member], or, without them, at a multiple of `block`; the whole vector has `total`.
    TUTTI_COMPONENT_API Footprint(const detail::Call& call, std::size_t total, std::size_t block,
                                  const std::size_t* offsets);

    /// The ranges of the vectors of `member`, for vectors that would start there as wholes.
    Range read(int member, std::uintptr_t input) const { return range(reads_, member, input); }
    Range written(int member, std::uintptr_t output) const { return range(writes_, member, output); }

    /// Whether any vectors that would start there as wholes may overlap.
    bool may_overlap(std::uintptr_t one, std::uintptr_t other) const {
        const std::size_t bytes = total_ * element_bytes_;
        return one - other + bytes < 2 * bytes;
    }

private:
    TUTTI_COMPONENT_API Range range(detail::Parts parts, int member, std::uintptr_t whole) const;

    detail::Parts reads_;
    detail::Parts writes_;
    int root_ = 0;
    std::size_t element_bytes_ = 1;
    std::size_t total_ = 0;
    std::size_t block_ = 0;
    const std::size_t* offsets_ = nullptr;
};

} // namespace tutti::run
