#pragma once

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::tasks {

/// The vectors of all ranks. A reduction to one rank has one output, which is the first.
struct Operands {
    const void* const* inputs;
    void* const* outputs;
    std::size_t ranks;
};

/// The most ranks for which looking whether their vectors overlap is cheaper than sorting them.
inline constexpr std::size_t most_small_ranks = 16;

/// Carries out calls of all ranks that have this key and these kernels, if one pass over few vectors in the
/// caches does that. Returns false and does nothing if it takes more than that, or if vectors are missing or
/// overlap.
bool execute_small(std::uint64_t key, detail::Builtin builtin, const Operands& operands);

} // namespace tutti::tasks
