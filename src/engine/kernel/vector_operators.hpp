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
template <class Lane>
requires std::is_floating_point_v<Lane>
struct VectorOf<Lane, sizeof(Lane)> {
    using type = Lane;
};

template <class Vector>
struct LaneOfVector {
    using type = std::remove_cvref_t<decltype(std::declval<Vector&>()[0])>;
};
template <class Number>
requires std::is_floating_point_v<Number>
struct LaneOfVector<Number> {
    using type = Number;
};

template <class Vector>
constexpr bool has_floats = std::is_same_v<typename LaneOfVector<Vector>::type, float>;
template <class Vector>
constexpr bool has_integers = std::is_integral_v<typename LaneOfVector<Vector>::type>;

#ifdef __x86_64__
template <class Vector>
constexpr bool has_two_floats = has_floats<Vector> && sizeof(Vector) == 2 * sizeof(float);

// One instruction, whose operands no compiler swaps.
#if !defined(__AVX__)
#define TUTTI_INSTRUCTION(mnemonic, result, a, b) asm(mnemonic " %2, %0" : "=x"(result) : "0"(a), "x"(b))
#elif defined(__clang__) // which, offered memory, stores the operand to have it there
// Its assembler swaps operands where a shorter prefix then suffices, unless the longer one is asked for.
#define TUTTI_INSTRUCTION(mnemonic, result, a, b)                                                            \
    if constexpr (sizeof(Vector) <= 8 * sizeof(float)) {                                                     \
        asm("%{vex3%} v" mnemonic " %2, %1, %0" : "=x"(result) : "x"(a), "x"(b));                            \
    } else {                                                                                                 \
        asm("v" mnemonic " %2, %1, %0" : "=v"(result) : "v"(a), "v"(b));                                     \
    }
#else
#define TUTTI_INSTRUCTION(mnemonic, result, a, b)                                                            \
    asm("v" mnemonic " %2, %1, %0" : "=v"(result) : "v"(a), "vm"(b))
#endif

// Two floats are taken for four: an instruction reads four from memory, and clang has no register for two.
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
        } else if constexpr (has_two_floats<Vector>) {                                                       \
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
    if constexpr (sizeof(Vector) <= 8 * sizeof(float) && !has_two_floats<Vector>) {
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

// The library's operators on vectors of any width. Like the loops that use them (see loops.hpp), they have
// internal linkage.

#define TUTTI_LANES(name, ...)                                                                               \
    struct name {                                                                                            \
        template <class Vector>                                                                              \
        [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {                                     \
            return __VA_ARGS__;                                                                              \
        }                                                                                                    \
    }

TUTTI_LANES(Add, sum_of(a, b));
TUTTI_LANES(Multiply, product_of(a, b));

/// Lanes (2k, 2k + 1) hold one complex number: (ac - bd, ad + bc).
struct MultiplyComplex {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b) {
        return apply(a, b, std::make_index_sequence<sizeof(Vector) / sizeof(a[0])>{});
    }

private:
    template <class Vector, std::size_t... Lane>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector b, std::index_sequence<Lane...> /*lanes*/) {
        const Vector a_real = __builtin_shufflevector(a, a, (Lane & ~std::size_t{1})...);
        const Vector a_imag = __builtin_shufflevector(a, a, (Lane | 1)...);
        const Vector b_swapped = __builtin_shufflevector(b, b, (Lane ^ 1)...);
        return difference_and_sum_of(product_of(a_real, b), product_of(a_imag, b_swapped),
                                     std::index_sequence<Lane...>());
    }
};

TUTTI_LANES(Min, b < a ? b : a);
TUTTI_LANES(Max, a < b ? b : a);

/// The places of floating-point numbers in the order in which min and max choose (place_of in
/// tutti/detail/numbers.hpp), for lanes that hold the bits of the numbers as signed integers.
template <bool nan_is_least, int fraction_bits, class Vector>
[[gnu::always_inline]] inline Vector places_of(Vector bits) {
    using Lane = typename LaneOfVector<Vector>::type;
    using Unsigned = std::make_unsigned_t<Lane>;
    using Wrapping = typename VectorOf<Unsigned, sizeof(Vector)>::type;
    constexpr int sign_bit = 8 * sizeof(Lane) - 1;
    constexpr auto all_but_sign = static_cast<Lane>(~(Unsigned{1} << sign_bit));
    constexpr auto fraction = static_cast<Unsigned>((Unsigned{1} << fraction_bits) - 1U);
    const auto ordered = reinterpret_cast<Wrapping>(bits ^ ((bits >> sign_bit) & all_but_sign));
    return reinterpret_cast<Vector>(nan_is_least ? ordered + fraction : ordered - fraction);
}

template <int fraction_bits>
TUTTI_LANES(MinFloat, places_of<true, fraction_bits>(b) < places_of<true, fraction_bits>(a) ? b : a);
template <int fraction_bits>
TUTTI_LANES(MaxFloat, places_of<false, fraction_bits>(a) < places_of<false, fraction_bits>(b) ? b : a);

/// Comparing vectors gives all ones or all zeros in each lane; the logical operators keep the lowest one.
TUTTI_LANES(BothNonzero, reinterpret_cast<Vector>((a != 0) & (b != 0)) & 1);
TUTTI_LANES(AnyNonzero, reinterpret_cast<Vector>((a | b) != 0) & 1);
TUTTI_LANES(OneNonzero, reinterpret_cast<Vector>((a != 0) ^ (b != 0)) & 1);

TUTTI_LANES(And, (a & b));
TUTTI_LANES(Or, a | b);
TUTTI_LANES(Xor, a ^ b);

} // namespace
} // namespace tutti::kernel
