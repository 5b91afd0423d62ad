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
// NOLINTEND(misc-definitions-in-headers)

} // namespace
} // namespace tutti::kernel
