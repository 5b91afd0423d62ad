// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::v0_1::detail {

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

} // namespace tutti::v0_1::detail

namespace tutti::v0_1 {

/// Element types that have compiled kernels. f16 is tutti::float16, bf16 is tutti::bfloat16 (tutti/half.hpp),
/// complex64 is std::complex<float>, complex128 is std::complex<double>. All other types (user structs,
/// enumerations, bool, long double, ...) are `other` and are reduced by template loops.
enum class Type : std::uint8_t {
    i8,
    u8,
    i16,
    u16,
    i32,
    u32,
    i64,
    u64,
    f32,
    f64,
    f16,
    bf16,
    complex64,
    complex128,
    other
};

/// The operators of the library, whose types have it as their static member `code`; any other function object
/// is `callable`.
///
/// An enumerator is an operator as well, for elements of a Type and for dynamic vectors, if the program knows
/// only at run time which one it needs: `me.allreduce(vector, op)`. A call with an operator that is not for
/// the type of the elements, or with `callable`, throws ArgumentError.
enum class Operator : std::uint8_t { sum, prod, min, max, land, lor, lxor, band, bor, bxor, callable };

/// Short lower-case name, e.g. "f32".
constexpr std::string_view to_string(Type type) {
    constexpr std::string_view names[] = {"i8",  "u8",   "i16",       "u16",        "i32",
                                          "u32", "i64",  "u64",       "f32",        "f64",
                                          "f16", "bf16", "complex64", "complex128", "other"};
    return names[static_cast<std::size_t>(type)];
}

/// Short lower-case name, e.g. "sum".
constexpr std::string_view to_string(Operator op) {
    constexpr std::string_view names[] = {"sum",  "prod", "min", "max",  "land",    "lor",
                                          "lxor", "band", "bor", "bxor", "callable"};
    return names[static_cast<std::size_t>(op)];
}

namespace detail {

constexpr bool is_extreme(Operator op) {
    return op == Operator::min || op == Operator::max;
}

/// Whether there are compiled kernels for elements of this type with this operator.
constexpr bool has_builtin(Type type, Operator op) {
    const bool is_integer = type < Type::f32;
    const bool is_real = type < Type::complex64;
    return type < Type::other && op < Operator::callable &&
           (is_integer || op <= Operator::prod || (is_real && is_extreme(op)));
}

/// The size of `type`, which must not be `other`.
constexpr std::size_t bytes_of(Type type) {
    constexpr std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2, 2, 8, 16};
    return bytes[static_cast<std::size_t>(type)];
}

/// Whether the kernels round after the last combination, so that partial results are more precise than
/// elements are.
constexpr bool rounds_once(Type type, Operator op) {
    return (type == Type::f16 || type == Type::bf16) && op <= Operator::prod;
}

} // namespace detail

} // namespace tutti::v0_1
