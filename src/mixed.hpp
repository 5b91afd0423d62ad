#pragma once

#include <cstdint>

namespace tutti {

/// A digest of what `seed` is one of, and of one word more. One multiplication, for the path of a call. The
/// values are the library's own: nothing writes them into files.
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t word) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;
    const std::uint64_t product = (seed ^ word) * multiplier;
    return product ^ (product >> 32U);
}

} // namespace tutti
