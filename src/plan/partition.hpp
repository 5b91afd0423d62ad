#pragma once

#include "cache_line.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::plan {

/// How the elements of a vector are divided into blocks: equal blocks of `block` elements (the last ones
/// shorter or empty), or, with `offsets` (blocks + 1 of them), any way at all.
struct Partition {
    std::size_t total = 0;
    std::size_t block = 0;
    const std::size_t* offsets = nullptr;

    /// The first element of block `index`; of index = blocks: the end of the vector.
    std::size_t offset(std::size_t index) const {
        if (index == 0) {
            return 0;
        }
        return offsets != nullptr ? offsets[index] : std::min(index * block, total);
    }

    /// The elements of `count` blocks from `first` on, not wrapping around.
    [[gnu::always_inline]] std::size_t elements(std::size_t first, std::size_t count) const {
        return offset(first + count) - offset(first);
    }
};

/// Elements of each of `blocks` equal blocks of a vector that may be divided anyhow. Blocks that are not
/// small start on cache lines (of a vector that does), so that no two members write to one line.
inline std::size_t free_block(std::size_t total, std::size_t blocks, std::size_t element_bytes) {
    const std::size_t block = (total + blocks - 1) / blocks;
    const bool divides = line_bytes % element_bytes == 0;
    constexpr std::size_t small_lines = 8;
    if (!divides || block * element_bytes < small_lines * line_bytes) {
        return block;
    }
    const std::size_t of_a_line = line_bytes / element_bytes;
    return (block + of_a_line - 1) / of_a_line * of_a_line;
}

/// The place of a block in a vector, in elements.
struct BlockPlace {
    std::size_t start = 0;
    std::size_t count = 0;
};

} // namespace tutti::plan
