#pragma once

#include <cstdint>

namespace tutti::mailbox {

/// The label of everything published: an epoch, which only grows, above a print, which says what the publisher
/// believes it is doing, so that members in different calls find out.
///
/// Epochs are compared by signed distance, so they may wrap; 44 bits last for days of back-to-back calls between
/// two uses of the same slot.
inline constexpr int print_bits = 20;
inline constexpr std::uint64_t print_mask = (std::uint64_t{1} << print_bits) - 1;

constexpr std::uint64_t make_tag(std::uint64_t epoch, std::uint64_t print) {
    return (epoch << print_bits) | print;
}

/// Whether a slot tagged `seen` has reached `epoch`.
constexpr bool reached(std::uint64_t seen, std::uint64_t epoch) {
    return static_cast<std::int64_t>((seen | print_mask) - (epoch << print_bits)) >= 0;
}

/// Whether `seen` belongs to exactly `epoch`.
constexpr bool is_of(std::uint64_t seen, std::uint64_t epoch) {
    return ((seen ^ (epoch << print_bits)) & ~print_mask) == 0;
}

constexpr std::uint64_t print_of(std::uint64_t tag) { return tag & print_mask; }

} // namespace tutti::mailbox
