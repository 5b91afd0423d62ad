#pragma once

#include "mailbox/tag.hpp"

#include <cstdint>

namespace tutti::run {

/// A digest of what `seed` is one of, and of one word more.
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t word) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;
    const std::uint64_t product = (seed ^ word) * multiplier;
    return product ^ (product >> 32U);
}

/// What members compare of the calls that they make.
struct Marks {
    /// Of everything on which they must agree.
    std::uint64_t digest = 0;
    /// The bits that travel in every tag.
    std::uint64_t print = 0;
};

/// What of the digest of a history goes into a tag.
constexpr std::uint64_t print_of_history(std::uint64_t history) {
    return history >> (64U - mailbox::print_bits);
}

} // namespace tutti::run
