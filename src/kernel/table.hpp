#pragma once

#include "kernel/deposits.hpp"

#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <span>

namespace tutti::kernel {

inline constexpr std::size_t type_count = static_cast<std::size_t>(Type::other);
inline constexpr std::size_t operator_count = static_cast<std::size_t>(Operator::callable);

/// All kernels compiled for one instruction set. Pairs that make no sense hold null pointers.
struct Table {
    const char* isa;
    DepositLoops deposits[2]; // folds 2 and 3
    detail::Kernels entries[type_count * operator_count];

    /// type must not be `other`, op not `callable`.
    constexpr const detail::Kernels& at(Type type, Operator op) const {
        return entries[static_cast<std::size_t>(type) * operator_count + static_cast<std::size_t>(op)];
    }
};

extern const Table generic_table;
extern const Table avx2_table;
extern const Table avx512_table;

/// From here on a copy to one place is left to the CPU's own string move, which takes over the lines that it
/// writes without reading them; shorter ones take longer to start than they gain.
inline constexpr std::size_t string_move_from_bytes = 2048;

/// What is moved at a time to several places: it still lies in the mover's own caches for the last of them,
/// and long moves take lines over in fewer steps.
inline constexpr std::size_t moved_bytes = std::size_t{64} << 10U;

/// As many bytes, aligned to lines, for what the calling thread moves: too many for the stacks of small
/// threads. Null where there is no memory for them.
char* tiles_of_thread();

/// Copies with the CPU's string move, or as the C library does where that is slow or not seen by sanitizers.
void move_string(void* out, const void* in, std::size_t bytes);

/// The loops of the chosen table for a fold.
const DepositLoops& deposit_loops(int fold);

/// The tables this CPU can run, narrowest first; never empty.
std::span<const Table* const> available_tables();

} // namespace tutti::kernel
