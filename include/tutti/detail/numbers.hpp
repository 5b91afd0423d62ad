// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/half.hpp>

#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// Kinds of numbers, and the order in which min and max choose among them.

namespace tutti::v0_1::detail {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

/// The unsigned type, at least as wide as int, in which integer sums and products of T are computed. Overflow
/// wraps, and small types are not promoted to a signed int that could overflow.
template <class T>
struct WrappingOf : std::common_type<std::make_unsigned_t<T>, unsigned> {};
template <class T>
using Wrapping = typename WrappingOf<T>::type;

// The standard library has traits of these types only if the compiler's extensions are on.
template <class T>
inline constexpr bool has_128_bits = false;
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 Int128;               // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 Unsigned128; // NOLINT(modernize-use-using)
template <>
inline constexpr bool has_128_bits<Int128> = true;
template <>
inline constexpr bool has_128_bits<Unsigned128> = true;
template <>
struct WrappingOf<Int128> : std::type_identity<Unsigned128> {};
template <>
struct WrappingOf<Unsigned128> : std::type_identity<Unsigned128> {};
#endif

/// All standard integer and character types, bool, and __int128.
template <class T>
concept IntegerOrBool = std::integral<T> || has_128_bits<T>;
/// Integers with arithmetic.
template <class T>
concept Integer = IntegerOrBool<T> && !std::same_as<T, bool>;
/// Types all of whose bits are data.
template <class T>
concept Bits = Integer<T> || std::same_as<T, std::byte>;

/// Real numbers.
template <class T>
concept Real = Integer<T> || std::floating_point<T> || Half<T>;
template <class T>
concept Numeric = Real<T> || is_complex<T>;

/// The identities of min and max.
template <Real T>
constexpr T greatest() {
    if constexpr (has_128_bits<T>) {
        return static_cast<T>(~Wrapping<T>{0} >> (T(-1) > T(0) ? 0U : 1U));
    } else if constexpr (Integer<T>) {
        return std::numeric_limits<T>::max();
    } else {
        using Float = std::conditional_t<Half<T>, float, T>;
        return static_cast<T>(std::numeric_limits<Float>::infinity());
    }
}
template <Real T>
constexpr T least() {
    if constexpr (has_128_bits<T>) {
        return static_cast<T>(~greatest<T>()); // of two's complement
    } else if constexpr (Integer<T>) {
        return std::numeric_limits<T>::lowest();
    } else {
        return static_cast<T>(-greatest<T>());
    }
}

template <class T>
constexpr bool is_nan(const T& value) {
    if constexpr (std::floating_point<T> || Half<T>) {
        return value != value;
    } else {
        return false;
    }
}

/// The signed integer with the bits of a floating-point number T, if there is one, and the number of bits of
/// its fraction.
template <class T>
struct FloatBits {};
template <>
struct FloatBits<float> : std::type_identity<std::int32_t> {
    static constexpr int fraction = 23;
};
template <>
struct FloatBits<double> : std::type_identity<std::int64_t> {
    static constexpr int fraction = 52;
};
template <Half T>
struct FloatBits<T> : std::type_identity<std::int16_t> {
    static constexpr int fraction = is_float16<T> ? 10 : 7;
};
template <class T>
concept PlainFloat = requires {
    typename FloatBits<T>::type;
};

/// The place of a number in a strict order of all bit patterns. -0 is below +0. NaNs, which differ in sign
/// and payload, are below all numbers if `nan_is_least`, and above all others if not. The kernels have the
/// same order (kernel/vector_operators.hpp).
template <bool nan_is_least, PlainFloat T>
constexpr auto place_of(T number) {
    using Signed = typename FloatBits<T>::type;
    using Unsigned = std::make_unsigned_t<Signed>;
    constexpr Signed all_but_sign = std::numeric_limits<Signed>::max();
    constexpr auto fraction = static_cast<Unsigned>((Wrapping<Unsigned>{1} << FloatBits<T>::fraction) - 1);
    const auto bits = std::bit_cast<Signed>(number);
    const auto ordered = static_cast<Unsigned>(bits < 0 ? bits ^ all_but_sign : bits);
    // There are `fraction` NaNs of each sign, at both ends: those of one end wrap around to the other.
    return static_cast<Signed>(nan_is_least ? ordered + fraction : ordered - fraction);
}

/// The same order, of one operand to the other, for long double. Padding is not compared.
template <bool nan_is_least, std::floating_point T>
bool is_below_by_parts(T a, T b) {
    if (is_nan(a) != is_nan(b)) {
        return is_nan(a) == nan_is_least;
    }
    if (is_nan(a)) {
        constexpr int digits_of_x87 = 64;
        constexpr std::size_t bytes = std::numeric_limits<T>::digits == digits_of_x87 ? 10 : sizeof(T);
        return std::memcmp(&a, &b, bytes) < 0;
    }
    return a == b ? __builtin_signbit(a) != 0 && __builtin_signbit(b) == 0 : a < b;
}

/// Whether min (nan_is_least) chooses `a`, or max `b`, because the two differ.
template <bool nan_is_least, class T>
constexpr bool is_below(const T& a, const T& b) {
    if constexpr (PlainFloat<T>) {
        if (a < b || b < a) {
            return a < b;
        }
        return place_of<nan_is_least>(a) < place_of<nan_is_least>(b);
    } else if constexpr (std::floating_point<T>) {
        return is_below_by_parts<nan_is_least>(a, b);
    } else {
        return a < b;
    }
}

} // namespace tutti::v0_1::detail
