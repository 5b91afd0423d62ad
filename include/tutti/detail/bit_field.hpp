#pragma once

#include <tutti/detail/standard.hpp>

#include <cstdint>

namespace tutti::detail {

/// Where a number lies in a packed word: the one description that packing and unpacking share.
struct BitField {
    unsigned at;
    unsigned bits;

    /// Where the next field begins.
    constexpr unsigned end() const { return at + bits; }
    constexpr std::uint64_t largest() const { return ~std::uint64_t{0} >> (64 - bits); }
    constexpr bool holds(std::uint64_t value) const { return value <= largest(); }

    /// The field of a word, and a word of this field alone, of a value that it holds.
    constexpr std::uint64_t of(std::uint64_t word) const { return (word >> at) & largest(); }
    constexpr std::uint64_t in_word(std::uint64_t value) const { return value << at; }
};

} // namespace tutti::detail
