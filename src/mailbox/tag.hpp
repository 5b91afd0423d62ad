#pragma once

#include <cstdint>

namespace tutti::mailbox {

/// A tag labels everything that a member publishes: an epoch, which only grows, above a fingerprint of the
/// publisher's call, by which members in different calls are detected.
inline constexpr int fingerprint_bits = 20;
inline constexpr std::uint64_t fingerprint_mask = (std::uint64_t{1} << fingerprint_bits) - 1;

/// The largest distance in epochs, in bits, between a member and one that still waits for it. In operations
/// that do not synchronise, members in a chain drift apart by one operation per member between them.
inline constexpr int epoch_window_bits = 24;

constexpr std::uint64_t make_tag(std::uint64_t epoch, std::uint64_t fingerprint) {
    return (epoch << fingerprint_bits) | fingerprint;
}

/// Whether a slot tagged `seen` has reached `epoch` or a later one. A slot is never ahead by more than the
/// window. Any other tag is therefore old, whatever the epochs (44 bits) have done since. At 36 million
/// points a second epochs wrap around in 5.6 days. A slot that nobody has used since then looks as if it had
/// reached the epoch with a probability of 2^-20, the window's share of all epochs.
constexpr bool reached(std::uint64_t seen, std::uint64_t epoch) {
    return (seen | fingerprint_mask) - (epoch << fingerprint_bits) <
           std::uint64_t{1} << (fingerprint_bits + epoch_window_bits);
}

/// Whether `seen` belongs to exactly `epoch`.
constexpr bool is_of(std::uint64_t seen, std::uint64_t epoch) {
    return ((seen ^ (epoch << fingerprint_bits)) & ~fingerprint_mask) == 0;
}

constexpr std::uint64_t fingerprint_of(std::uint64_t tag) {
    return tag & fingerprint_mask;
}

} // namespace tutti::mailbox
