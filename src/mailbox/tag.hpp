#pragma once

#include <cstdint>

namespace tutti::mailbox {

/// The label of everything published: an epoch, which only grows, above a fingerprint, which says what the
/// publisher believes it is doing, so that members in different calls find out.
inline constexpr int fingerprint_bits = 20;
inline constexpr std::uint64_t fingerprint_mask = (std::uint64_t{1} << fingerprint_bits) - 1;

/// How far a member can be ahead of one that still waits for it: operations that do not make everybody wait
/// for everybody let members drift apart by one operation for each that stands between them.
inline constexpr int epoch_window_bits = 24;

constexpr std::uint64_t make_tag(std::uint64_t epoch, std::uint64_t fingerprint) {
    return (epoch << fingerprint_bits) | fingerprint;
}

/// Whether a slot tagged `seen` has reached `epoch`: it is there, or later. A slot is never ahead by more
/// than the window, so whatever else is seen is from long ago, however far the epochs, of which there are 44
/// bits, have come since. At 36 million points a second epochs come round in 5.6 days. A slot that nobody has
/// used since then looks as if it had been reached with a probability of 2^-20, which is the window's share
/// of all epochs.
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
