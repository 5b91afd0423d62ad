#pragma once

#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <span>

namespace tutti::kernel {

inline constexpr std::size_t type_count = static_cast<std::size_t>(Type::other);
inline constexpr std::size_t operator_count = static_cast<std::size_t>(Operator::callable);

/// All kernels compiled for one instruction set. Pairs that make no sense hold null pointers.
struct Table {
    const char* isa;
    detail::Kernels entries[type_count * operator_count];

    /// type must not be `other`, op not `callable`.
    constexpr const detail::Kernels& at(Type type, Operator op) const {
        return entries[static_cast<std::size_t>(type) * operator_count + static_cast<std::size_t>(op)];
    }
};

extern const Table generic_table;
extern const Table avx2_table;
extern const Table avx512_table;

/// The tables this CPU can run, narrowest first; never empty.
std::span<const Table* const> available_tables();

} // namespace tutti::kernel
