#pragma once

#include "mailbox/tag.hpp"

#include <cstdint>

namespace tutti::run {

/// The parts of their calls that members compare.
struct Digests {
    /// A digest of everything on which they must agree.
    std::uint64_t digest = 0;
    /// The bits that travel in every tag.
    std::uint64_t fingerprint = 0;
};

/// The part of a history's digest that goes into a tag.
constexpr std::uint64_t fingerprint_of_history(std::uint64_t history) {
    return history >> (64U - mailbox::fingerprint_bits);
}

} // namespace tutti::run
