#pragma once

// The use of the caller's stack by kernels: fibers and small threads have 64 KiB. Included by the one source
// file of each instruction set, like loops.hpp.

#include "cache_line.hpp"
#include "kernel/tiles.hpp"

#include <cstddef>

// NOLINTBEGIN(misc-definitions-in-headers)

namespace tutti::kernel {
namespace {

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
