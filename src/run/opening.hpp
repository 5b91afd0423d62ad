#pragma once

#include "run/bindings.hpp"
#include "run/prepared.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::run {

/// What two members may turn out to disagree about.
enum class Fault : std::uint8_t {
    calls,         ///< they make different ones
    shared_output, ///< the result that all members share is not the same memory
    both_write,    ///< they write to the same memory
    one_writes,    ///< one writes to memory that the other reads
    cleared_input, ///< one clears an input that overlaps the other's
    counts,        ///< one expects a block of another length than the other sends
    none
};

/// What is wrong where member `rank`, whose vectors are `own`, shares memory with another.
Fault fault_of_memory(const Prepared& prepared, const Bases& own, int rank, const Bases& theirs, int peer);

/// How long a block is to who sends it and to who expects it, in elements, where only these know of it.
struct BlockLengths {
    std::size_t sent;
    std::size_t expected;
};
/// Of the block from `peer`, whose vectors are `theirs`, to member `rank`.
BlockLengths block_lengths(const Prepared& prepared, int rank, const Bases& theirs, int peer);

} // namespace tutti::run
