#pragma once

#include "../std.hpp"

#include <tutti/half.hpp>

// Conversions of 16-bit numbers by the definition of the formats, in double, which holds all their numbers
// and the halfway points between them.

namespace reference {

struct Format {
    int exponent_bits;
    int fraction_bits;
};
inline constexpr Format float16_format{5, 10};
inline constexpr Format bfloat16_format{8, 7};

/// The number that the bits stand for; for an infinity and a NaN what float has.
inline double value_of(Format format, std::uint16_t bits) {
    const int exponent = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
    const int fraction = bits & ((1 << format.fraction_bits) - 1);
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == (1 << format.exponent_bits) - 1) {
        return fraction != 0 ? std::nan("") : sign * INFINITY;
    }
    const int hidden = exponent != 0 ? 1 << format.fraction_bits : 0;
    const int least = exponent != 0 ? exponent : 1;
    return sign * std::ldexp(hidden + fraction, least - bias - format.fraction_bits);
}

/// The bits of the nearest number, by bisection. Magnitudes grow with their bits.
inline std::uint16_t nearest(Format format, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const int infinity = ((1 << format.exponent_bits) - 1) << format.fraction_bits;
    if (std::isnan(value)) {
        const std::uint32_t payload = (bits & 0x7fffffU) >> (23 - format.fraction_bits);
        const std::uint32_t quiet = 1U << (format.fraction_bits - 1);
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(infinity) | payload | quiet);
    }
    const double magnitude = std::fabs(static_cast<double>(value));
    int below = 0; // the greatest number that is not above
    for (int step = 1 << 14; step != 0; step /= 2) {
        if (below + step < infinity &&
            value_of(format, static_cast<std::uint16_t>(below + step)) <= magnitude) {
            below += step;
        }
    }
    const double low = value_of(format, static_cast<std::uint16_t>(below));
    // Beyond the greatest number, the next one is where infinity is.
    const double high = below + 1 < infinity ? value_of(format, static_cast<std::uint16_t>(below + 1))
                                             : std::ldexp(1.0, (1 << (format.exponent_bits - 1)));
    const bool up =
        magnitude - low > high - magnitude || (magnitude - low == high - magnitude && below % 2 != 0);
    return static_cast<std::uint16_t>(sign | (below + (up ? 1 : 0)));
}

} // namespace reference
