#pragma once

#include "std.hpp"

namespace tutti::test {

/// x -> scale * x + shift over bytes; composing two of them is associative but does not commute.
struct Affine {
    std::uint8_t scale;
    std::uint8_t shift;
    std::uint8_t count; // how many were composed: makes the size 3
    friend bool operator==(const Affine&, const Affine&) = default;
};
static_assert(sizeof(Affine) == 3);

inline constexpr auto compose = [](const Affine& one, const Affine& two) {
    return Affine{static_cast<std::uint8_t>(one.scale * two.scale),
                  static_cast<std::uint8_t>(two.scale * one.shift + two.shift),
                  static_cast<std::uint8_t>(one.count + two.count)};
};

} // namespace tutti::test
