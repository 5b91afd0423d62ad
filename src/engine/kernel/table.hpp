#pragma once

#include <tutti/detail/export.h>
#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::kernel {

inline constexpr std::size_t operator_count = static_cast<std::size_t>(Operator::callable);

/// The instruction sets, narrowest first.
enum class Isa : std::uint8_t { generic, avx2, avx512 };

constexpr const char* to_string(Isa isa) {
    constexpr const char* names[] = {"generic", "avx2", "avx512"};
    return names[static_cast<std::size_t>(isa)];
}

/// Those that kernels are compiled for, narrowest first.
#if defined(TUTTI_ISA_ONLY)
inline constexpr Isa compiled_isas[] = {Isa::TUTTI_ISA_ONLY};
#elif defined(__x86_64__)
inline constexpr Isa compiled_isas[] = {Isa::generic, Isa::avx2, Isa::avx512};
#else
inline constexpr Isa compiled_isas[] = {Isa::generic};
#endif

/// The sum of a type, compiled for one instruction set. It is an object file of its own, because it is all
/// that most programs need.
template <Isa isa, Type type>
const detail::Kernels& sum();

/// The kernels of an operator that is neither `sum` nor `callable`; null pointers if it makes no sense.
template <Isa isa, Type type>
const detail::Kernels& others(Operator op);

/// The kernels of `band`, `bor` or `bxor` for bytes, which serve all integers, and copies.
template <Isa isa, Operator op>
const detail::Kernels& bitwise();

/// Copies bytes [begin, end) of `in` to the same place of all outputs. Without the store fence that ends a
/// call.
template <Isa isa>
void copy_part(void* const* outs, int outs_count, const void* in, std::size_t begin, std::size_t end,
               detail::StoreHints stores);

/// The instruction set in use.
TUTTI_COMPONENT_API Isa chosen_isa();

// Object files of an instruction set have these as well, so they have internal linkage (loops.hpp).
namespace {

/// f.operator()<isa>(), which links the code for all instruction sets. isa must be one of compiled_isas.
template <std::size_t at = 0, class F>
decltype(auto) in_isa(Isa isa, const F& f) {
    if constexpr (at + 1 < sizeof compiled_isas) {
        if (isa != compiled_isas[at]) {
            return in_isa<at + 1>(isa, f);
        }
    }
    return f.template operator()<compiled_isas[at]>();
}

/// The kernels of a type for one of compiled_isas.
template <Type type>
const detail::Kernels& sum_in(Isa isa) {
    return in_isa(isa, []<Isa each>() -> const detail::Kernels& { return sum<each, type>(); });
}
template <Type type>
const detail::Kernels& kernels_in(Isa isa, Operator op) {
    return op == Operator::sum
               ? sum_in<type>(isa)
               : in_isa(isa, [op]<Isa each>() -> const detail::Kernels& { return others<each, type>(op); });
}

} // namespace

/// From here on a copy to one place is left to the CPU's own string move, which takes over the lines that it
/// writes without reading them; shorter ones take longer to start than they gain.
inline constexpr std::size_t string_move_from_bytes = 2048;

/// The bytes that are moved at a time to several places: they still lie in the mover's own caches for the
/// last place, and long moves take lines over in fewer steps.
inline constexpr std::size_t moved_bytes = std::size_t{64} << 10U;

/// As many bytes, aligned to lines, for data that the calling thread moves: too many for the stacks of small
/// threads. Null if there is no memory for them.
char* tiles_of_thread();

/// Copies by rep movsb, or as the C library does if that is slow or not seen by sanitizers.
void move_string(void* out, const void* in, std::size_t bytes);

/// The instruction sets this CPU can run, narrowest first; never empty.
std::span<const Isa> available_isas();

} // namespace tutti::kernel
