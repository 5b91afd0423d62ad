#pragma once

#include "mailbox/tag.hpp"

#include <cstdint>

namespace tutti::run {

/// What members compare of the calls that they make.
struct Digests {
    /// Of everything on which they must agree.
    std::uint64_t digest = 0;
    /// The bits that travel in every tag.
    std::uint64_t fingerprint = 0;
};

/// What of the digest of a history goes into a tag.
constexpr std::uint64_t fingerprint_of_history(std::uint64_t history) {
    return history >> (64U - mailbox::fingerprint_bits);
}

} // namespace tutti::run
