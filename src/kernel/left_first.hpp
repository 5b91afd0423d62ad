#pragma once

// Sums, differences and products in which the left operand's NaN stays. IEEE 754 leaves open whose payload
// that is where two NaNs meet. x86 takes the first operand's, but compilers swap the operands of a + b and a
// * b, here so and there otherwise: members that run through different copies of one loop would have
// different bits. RISC-V keeps no payload, so that each NaN there is the canonical one. Like the loops that
// use this (see loops.hpp), it has internal linkage.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti::kernel {
namespace {

/// A vector of `Bytes` bytes, or if that is a single floating-point number, the number: compilers take
/// vectors of one lane through memory.
template <class Lane, std::size_t Bytes>
struct VectorOf {
    using type __attribute__((vector_size(Bytes))) = Lane;
};
template <>
struct VectorOf<float, sizeof(float)> {
    using type = float;
};
template <>
struct VectorOf<double, sizeof(double)> {
    using type = double;
};

template <class Vector>
struct LaneOfVector {
    using type = std::remove_cvref_t<decltype(std::declval<Vector&>()[0])>;
};
template <>
struct LaneOfVector<float> {
    using type = float;
};
template <>
struct LaneOfVector<double> {
    using type = double;
};

template <class Vector>
constexpr bool has_floats = std::is_same_v<typename LaneOfVector<Vector>::type, float>;
template <class Vector>
constexpr bool has_integers = std::is_integral_v<typename LaneOfVector<Vector>::type>;

#ifdef __x86_64__
template <class Vector>
constexpr bool has_two_floats = has_floats<Vector> && sizeof(Vector) == 2 * sizeof(float);

// One instruction, whose operands no compiler swaps. Two floats are taken for four, so that the second
// operand must not be read where it lies in memory.
#if !defined(__AVX__)
#define TUTTI_INSTRUCTION(mnemonic, result, a, b) asm(mnemonic " %2, %0" : "=x"(result) : "0"(a), "x"(b))
#elif defined(__clang__) // which, offered memory, stores the operand to have it there
#define TUTTI_INSTRUCTION(mnemonic, result, a, b)                                                            \
    asm("v" mnemonic " %2, %1, %0" : "=v"(result) : "v"(a), "v"(b))
#else
#define TUTTI_INSTRUCTION(mnemonic, result, a, b)                                                            \
    if constexpr (has_two_floats<Vector>) {                                                                  \
        asm("v" mnemonic " %2, %1, %0" : "=v"(result) : "v"(a), "v"(b));                                     \
    } else {                                                                                                 \
        asm("v" mnemonic " %2, %1, %0" : "=v"(result) : "v"(a), "vm"(b));                                    \
    }
#endif

#ifdef __clang__ // has no register for two floats
template <class Vector>
constexpr bool must_be_widened = has_two_floats<Vector>;
#else
template <class Vector>
constexpr bool must_be_widened = false;
#endif

template <class Vector>
[[gnu::always_inline]] inline auto widened(Vector a) {
    return __builtin_shufflevector(a, Vector{}, 0, 1, 2, 3);
}
template <class Wide>
[[gnu::always_inline]] inline auto lower_half(Wide a) {
    return __builtin_shufflevector(a, a, 0, 1);
}

#define TUTTI_LEFT_FIRST(name, op, mnemonic)                                                                 \
    template <class Vector>                                                                                  \
    [[gnu::always_inline]] inline Vector name(Vector a, Vector b) {                                          \
        Vector result;                                                                                       \
        if constexpr (has_integers<Vector>) {                                                                \
            result = a op b;                                                                                 \
        } else if constexpr (must_be_widened<Vector>) {                                                      \
            result = lower_half(name(widened(a), widened(b)));                                               \
        } else if constexpr (std::is_same_v<Vector, float>) {                                                \
            TUTTI_INSTRUCTION(mnemonic "ss", result, a, b);                                                  \
        } else if constexpr (std::is_same_v<Vector, double>) {                                               \
            TUTTI_INSTRUCTION(mnemonic "sd", result, a, b);                                                  \
        } else if constexpr (has_floats<Vector>) {                                                           \
            TUTTI_INSTRUCTION(mnemonic "ps", result, a, b);                                                  \
        } else {                                                                                             \
            TUTTI_INSTRUCTION(mnemonic "pd", result, a, b);                                                  \
        }                                                                                                    \
        return result;                                                                                       \
    }
#else
#define TUTTI_LEFT_FIRST(name, op, mnemonic)                                                                 \
    template <class Vector>                                                                                  \
    [[gnu::always_inline]] inline Vector name(Vector a, Vector b) {                                          \
        if constexpr (has_integers<Vector>) {                                                                \
            return a op b;                                                                                   \
        } else {                                                                                             \
            return a == a ? a op b : a + a; /* a quiet NaN with a's payload, where the processor keeps it */ \
        }                                                                                                    \
    }
#endif

TUTTI_LEFT_FIRST(sum_of, +, "add")
TUTTI_LEFT_FIRST(difference_of, -, "sub")
TUTTI_LEFT_FIRST(product_of, *, "mul")

/// a - b in even lanes, a + b in odd ones.
template <class Vector, std::size_t... Lane>
[[gnu::always_inline]] inline Vector difference_and_sum_of(Vector a, Vector b,
                                                           std::index_sequence<Lane...> /*lanes*/) {
#ifdef __AVX__
    if constexpr (sizeof(Vector) <= 8 * sizeof(float) && !must_be_widened<Vector>) {
        Vector result;
        if constexpr (has_floats<Vector>) {
            TUTTI_INSTRUCTION("addsubps", result, a, b);
        } else {
            TUTTI_INSTRUCTION("addsubpd", result, a, b);
        }
        return result;
    }
#endif
    return __builtin_shufflevector(difference_of(a, b), sum_of(a, b),
                                   (Lane + (Lane & 1) * sizeof...(Lane))...);
}

} // namespace
} // namespace tutti::kernel
