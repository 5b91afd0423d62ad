// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/standard.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tutti::v0_1 {

namespace detail {

// The bits of a number that is rounded to the nearest one, ties to even. A NaN becomes quiet and keeps the
// highest bits of its payload. The kernels do the same (src/engine/kernel/halves.hpp).

constexpr std::uint16_t bfloat16_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    const std::uint32_t rounded = is_nan ? bits | 0x400000U : bits + 0x7fffU + (bits >> 16 & 1U);
    return static_cast<std::uint16_t>(rounded >> 16);
}

constexpr std::uint16_t float16_bits(float value) {
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t bits = all & 0x7fffffffU;
    std::uint32_t rounded = 0x7c00U;
    if (bits > 0x7f800000U) {
        rounded = 0x7e00U | (bits >> 13 & 0x3ffU);
    } else if (bits < 0x38800000U) { // below the least normal number
        // In a number that is 0.5 and more, the lowest bit is that of a subnormal one.
        rounded = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + 0.5F) - 0x3f000000U;
    } else if (bits < 0x47800000U) { // below 2^16; what is not less than 65520 becomes infinity
        rounded = (bits - (112U << 23) + 0xfffU + (bits >> 13 & 1U)) >> 13;
    }
    return static_cast<std::uint16_t>(rounded | (all >> 16 & 0x8000U));
}

constexpr float float_of_float16(std::uint16_t bits) {
    const std::uint32_t shifted = (bits & 0x7fffU) << 13;
    std::uint32_t magnitude = shifted + (112U << 23);
    if (shifted < 1U << 23) { // a subnormal number, which is one of float
        magnitude = std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted + (113U << 23)) - 0x1p-14F);
    } else if (shifted >= 31U << 23) {
        magnitude = shifted + (224U << 23);
        magnitude |= shifted > 31U << 23 ? 0x400000U : 0U;
    }
    return std::bit_cast<float>(magnitude | (bits & 0x8000U) << 16);
}

/// The number toward zero from value, with a lowest bit of 1 unless it is value: rounding it once more, to 22
/// bits or fewer, gives what rounding value at once does (Boldo and Melquiond 2008, theorem 2).
template <class Wide>
constexpr float rounded_to_odd(Wide value) {
    const auto nearest = static_cast<float>(value);
    auto bits = std::bit_cast<std::uint32_t>(nearest);
    const bool is_less = static_cast<Wide>(nearest) < value;
    const bool is_greater = static_cast<Wide>(nearest) > value;
    if (is_less || is_greater) { // not for a NaN
        bits -= is_greater == (value > 0) ? 1U : 0U;
        bits |= 1U;
    }
    return std::bit_cast<float>(bits);
}

template <class T>
concept WiderThanFloat = std::floating_point<T> && sizeof(T) > sizeof(float);

} // namespace detail

/// A floating-point number of 16 bits: IEEE 754 binary16, with 11 bits of precision and numbers up to 65504.
/// It is for storage: every operation converts it to float, which is exact, and yields a float.
///
/// The operators `sum` and `prod` of the library combine any number of operands in float and round once
/// (docs/collectives.md). Operators of the program round whenever they convert to float16.
class float16 { // NOLINT(readability-identifier-naming): as std::float16_t
public:
    float16() = default;
    /// The nearest number, ties to even. From 65520 on, it is infinity. A NaN becomes quiet and keeps the
    /// highest bits of its payload. Integers are converted to float first.
    constexpr explicit float16(float value) : bits_(detail::float16_bits(value)) {}
    /// The same for double and long double, rounded once.
    constexpr explicit float16(detail::WiderThanFloat auto value) : float16(detail::rounded_to_odd(value)) {}
    /// The number itself. A signalling NaN becomes quiet.
    constexpr operator float() const { return detail::float_of_float16(bits_); } // NOLINT: it is exact

    /// The number that has these bits.
    static constexpr float16 from_bits(std::uint16_t bits) { return std::bit_cast<float16>(bits); }
    /// The bits of the number.
    constexpr std::uint16_t bits() const { return bits_; }

private:
    std::uint16_t bits_;
};

/// A floating-point number of 16 bits: the upper half of a float, with 8 bits of precision and the range of
/// float. It is used as float16 is.
class bfloat16 { // NOLINT(readability-identifier-naming): as std::bfloat16_t
public:
    bfloat16() = default;
    /// The nearest number, ties to even. A NaN becomes quiet and keeps the highest bits of its payload.
    /// Integers are converted to float first.
    constexpr explicit bfloat16(float value) : bits_(detail::bfloat16_bits(value)) {}
    /// The same for double and long double, rounded once.
    constexpr explicit bfloat16(detail::WiderThanFloat auto value)
        : bfloat16(detail::rounded_to_odd(value)) {}
    /// The number itself.
    constexpr operator float() const { // NOLINT: it is exact
        return std::bit_cast<float>(std::uint32_t{bits_} << 16);
    }

    /// The number that has these bits.
    static constexpr bfloat16 from_bits(std::uint16_t bits) { return std::bit_cast<bfloat16>(bits); }
    /// The bits of the number.
    constexpr std::uint16_t bits() const { return bits_; }

private:
    std::uint16_t bits_;
};

namespace detail {

/// The bits of 1 in a floating-point type of 16 bits that belongs to the compiler, such as std::float16_t,
/// _Float16 or __bf16; 0 for other types. The bits tell the two formats apart, whatever the type is called.
template <class T>
constexpr std::uint16_t bits_of_one() {
    if constexpr (sizeof(T) == sizeof(std::uint16_t) && !std::is_class_v<T> && !std::is_union_v<T> &&
                  !std::is_enum_v<T> && !std::integral<T> &&
                  requires(float value) { static_cast<T>(value); }) {
        return std::bit_cast<std::uint16_t>(static_cast<T>(1.0F));
    } else {
        return 0;
    }
}

/// The number types of 16 bits. Those of the compiler have the bits of the library's.
template <class T>
inline constexpr bool is_float16 = std::same_as<T, float16> || bits_of_one<T>() == float16(1.0F).bits();
template <class T>
inline constexpr bool is_bfloat16 = std::same_as<T, bfloat16> || bits_of_one<T>() == bfloat16(1.0F).bits();

template <class T>
concept Half = is_float16<T> || is_bfloat16<T>;

} // namespace detail

} // namespace tutti::v0_1
