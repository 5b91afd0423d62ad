#pragma once

#include <tutti/detail/standard.hpp>

#include <cstdint>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// The position of a number in a packed word, shared by packing and unpacking.
struct BitField {
    unsigned at;
    unsigned bits;

    /// The position of the next field.
    constexpr unsigned end() const { return at + bits; }
    constexpr std::uint64_t largest() const { return ~std::uint64_t{0} >> (64 - bits); }
    constexpr bool holds(std::uint64_t value) const { return value <= largest(); }

    /// of() extracts the field from a word; in_word() makes a word that has only this field.
    constexpr std::uint64_t of(std::uint64_t word) const { return (word >> at) & largest(); }
    constexpr std::uint64_t in_word(std::uint64_t value) const { return value << at; }
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail
