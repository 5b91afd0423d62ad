// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/operators.hpp>

#include <cstdint>

namespace tutti::v0_1 {

/// A value and its position, such as a rank or an index: the elements of minloc and maxloc. Compare them with
/// ==, not as bytes, because there may be padding between the two.
template <class T>
struct ValueAt {
    /// The value that is compared.
    T value;
    /// The position of the value.
    std::int64_t at;
    /// Whether both the value and the position are equal.
    friend constexpr bool operator==(const ValueAt&, const ValueAt&) = default;
};

namespace detail {

/// Whether `a` is preferred to `b`: a NaN to a number, then the least or the greatest value, then the lower
/// position. It is a strict weak order, so the result is exact and does not depend on the order of the
/// operands.
template <bool least, class T>
constexpr bool wins(const ValueAt<T>& a, const ValueAt<T>& b) {
    if (is_nan(a.value) != is_nan(b.value)) {
        return is_nan(a.value);
    }
    const bool is_less = a.value < b.value;
    const bool is_greater = b.value < a.value;
    return is_less != is_greater ? (least ? is_less : is_greater) : a.at < b.at;
}

template <bool least>
struct Located : Commutes {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires requires(const T& a, const T& b) { static_cast<bool>(a < b); }
    constexpr ValueAt<T> operator()(const ValueAt<T>& a, const ValueAt<T>& b) const {
        return wins<least>(b, a) ? b : a;
    }
};

} // namespace detail

/// The least value and its position (argmin). Among equal values (-0 and +0 are equal), the lowest position
/// wins: if positions are ranks, the lowest rank. A NaN is preferred to any number, so that it shows in the
/// result; among several NaNs the lowest position wins. If positions tell the operands apart, the result does
/// not depend on the order in which operands are combined. Value types that are not numbers need a < that is
/// a strict weak order.
struct MinLoc : detail::Located<true> {};

/// The greatest value and its position (argmax). Equal values, NaN and order are treated as in MinLoc.
struct MaxLoc : detail::Located<false> {};

namespace detail {

template <>
inline constexpr bool is_operator<MinLoc> = true;
template <>
inline constexpr bool is_operator<MaxLoc> = true;

} // namespace detail

inline constexpr MinLoc minloc{};
inline constexpr MaxLoc maxloc{};

} // namespace tutti::v0_1
