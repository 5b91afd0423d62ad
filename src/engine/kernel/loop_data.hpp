#pragma once

// Arguments of the loops of loops.hpp. As there, everything has internal linkage.

#include "kernel/tiles.hpp"

#include <tutti/detail/association.hpp>

namespace tutti::kernel {
namespace {

using detail::Association;

/// All outputs get the reduction of all inputs.
struct Reduction {
    void* const* outs;
    int outs_count;
    const void* const* ins;
    int ins_count;
    int cached_out;
};

/// The same, associated as the tree, of any number of inputs or of so many, with what `before` holds, if
/// anything, on their left.
struct AnyTree : Reduction {
    const void* before;
};
template <int Count>
struct Tree : AnyTree {};

/// outs[j] gets the reduction of inputs 0 .. j; there are `count` of both. outs[j] may be ins[j] or ins[j+1].
template <Association>
struct Prefixes {
    void* const* outs;
    const void* const* ins;
    int count;
    int cached_out;
};

// NOLINTBEGIN(misc-definitions-in-headers)
/// Bytes of every input that are combined in registers if nothing streams.
template <class Data>
constexpr std::size_t cached_tile_bytes_of = cached_tile_bytes;
template <int Count>
constexpr std::size_t cached_tile_bytes_of<Tree<Count>> = std::size_t{Count <= 8 ? 4 : 2} * vector_bytes;

// The use of the caller's stack by kernels: fibers and small threads have 64 KiB.

/// If there are more operands, parts are combined in registers, and their results in tiles.
constexpr int most_in_registers = 8;
constexpr std::size_t most_part_bytes = 2048;
/// The size of these tiles. More than 128 operands need so many that each is shorter.
constexpr std::size_t partial_results_bytes = 4 * most_part_bytes;

/// As many partial results are there at a time as operands are halved until they fit in registers.
constexpr std::size_t part_bytes_for(int operands) {
    std::size_t parts = 1;
    for (int each = 2 * most_in_registers; each < operands; each *= 2) {
        ++parts;
    }
    const std::size_t bytes = partial_results_bytes / parts / line_bytes * line_bytes;
    return bytes < most_part_bytes ? bytes : most_part_bytes;
}
static_assert(part_bytes_for(128) == most_part_bytes && part_bytes_for(65535) >= 8 * vector_bytes);

/// The memory for partial results.
struct Room {
    char* place;
    std::size_t part_bytes;

    Room behind_a_part() const { return {place + part_bytes, part_bytes}; }
};

} // namespace
} // namespace tutti::kernel

// NOLINTEND(misc-definitions-in-headers)
