// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>
#include <tutti/reproducible.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

namespace tutti::v0_1::detail {

// `me` is a member of a group or cluster, or Alone; each list of TermLists has elements of this member.

template <class T>
using TermLists = std::span<const std::span<const T>>;

/// The only member of a group, for the all-buffers form.
struct Alone {
    struct Options {};
    template <class T, class Op>
    static T allreduce(const T& value, const Op& /*op*/, const Options& /*options*/) {
        return value;
    }
};

template <class T, class Me, class Options>
T reproduced_sum(Me& me, TermLists<T> terms, const Options& options) {
    Reproducible<T> mine;
    for (const std::span<const T> part : terms) {
        mine.add(part);
    }
    return me.allreduce(mine, sum, options).value();
}

/// a[i] and b[i] must be equally long.
template <class T, class Me, class Options>
T reproduced_dot(Me& me, TermLists<T> a, TermLists<T> b, const Options& options) {
    Reproducible<T> mine;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].size() != b[i].size()) {
            refuse_lengths("reproducible_dot", a[i].size(), b[i].size());
        }
        mine.add_products(a[i], b[i]);
    }
    return me.allreduce(mine, sum, options).value();
}

/// The greater magnitude, and NaN if there is one.
struct GreaterMagnitude {
    double operator()(double a, double b) const {
        return std::isnan(a) ? a : std::isnan(b) ? b : std::max(std::fabs(a), std::fabs(b));
    }
};

/// The norm, with all elements divided by a power of 2 near the largest one. That is a maximum, and therefore
/// the same for every distribution.
template <class Me, class Options>
double norm_of_scaled(Me& me, TermLists<double> x, const Options& options) {
    double mine = 0;
    for (const std::span<const double> part : x) {
        for (const double element : part) {
            mine = GreaterMagnitude()(mine, element);
        }
    }
    const double largest = me.allreduce(mine, GreaterMagnitude(), options);
    if (std::isnan(largest)) {
        return std::numeric_limits<double>::quiet_NaN(); // the one found first depends on the distribution
    }
    if (largest == 0 || std::isinf(largest)) {
        return largest;
    }
    const int exponent = std::ilogb(largest);
    Reproducible<double> squares;
    for (const std::span<const double> part : x) {
        for (const double element : part) {
            const double scaled = std::scalbn(element, -exponent);
            squares.add_product(scaled, scaled);
        }
    }
    return std::scalbn(std::sqrt(me.allreduce(squares, sum, options).value()), exponent);
}

template <class Me, class Options>
double reproduced_norm2(Me& me, TermLists<double> x, const Options& options) {
    const double squares = reproduced_dot(me, x, x, options); // the same on every member
    constexpr double least = 0x1p-900;
    return std::isfinite(squares) && squares >= least ? std::sqrt(squares) : norm_of_scaled(me, x, options);
}

template <class Me, class Options>
float reproduced_norm2(Me& me, TermLists<float> x, const Options& options) {
    Reproducible<double> squares; // of floats neither overflow nor underflow in double
    for (const std::span<const float> part : x) {
        for (const float element : part) {
            squares.add_product(static_cast<double>(element), static_cast<double>(element));
        }
    }
    return static_cast<float>(std::sqrt(me.allreduce(squares, sum, options).value()));
}

} // namespace tutti::v0_1::detail

namespace tutti::v0_1 {

/// The sum of the terms of all members, with the same bits for every number of members, and of processes, and
/// for every distribution and order of the terms. Every member gets it. Members may have different numbers of
/// terms, also 0. `me` is a Member of a group or a cluster. This is an allreduce of an accumulator:
/// tutti/reproducible.hpp states the error bound and the rules for NaN, infinities and overflow.
template <class Me>
[[nodiscard]] double reproducible_sum(Me& me, std::span<const double> terms, const Options& options = {}) {
    return detail::reproduced_sum<double>(me, {&terms, 1}, options);
}
/// The same for float.
template <class Me>
[[nodiscard]] float reproducible_sum(Me& me, std::span<const float> terms, const Options& options = {}) {
    return detail::reproduced_sum<float>(me, {&terms, 1}, options);
}

/// The sum of a[i] * b[i] over the elements of all members, as reproducible as the sum. Each product is
/// rounded once to double, which is exact for float. Throws ArgumentError if `a` and `b` of this member have
/// different lengths; the member has then made no call.
template <class Me>
[[nodiscard]] double reproducible_dot(Me& me, std::span<const double> a, std::span<const double> b,
                                      const Options& options = {}) {
    return detail::reproduced_dot<double>(me, {&a, 1}, {&b, 1}, options);
}
/// The same for float.
template <class Me>
[[nodiscard]] float reproducible_dot(Me& me, std::span<const float> a, std::span<const float> b,
                                     const Options& options = {}) {
    return detail::reproduced_dot<float>(me, {&a, 1}, {&b, 1}, options);
}

/// The Euclidean norm of the vector whose parts the members have, as reproducible as the sum. It overflows
/// only if the norm itself does, and does not underflow: if the sum of the squares is less than 2^-900, or is
/// not finite, the members scale all elements by the largest one, in one or two more calls. It is a NaN if an
/// element is, and otherwise infinity if an element is infinite.
template <class Me>
[[nodiscard]] double reproducible_norm2(Me& me, std::span<const double> x, const Options& options = {}) {
    return detail::as_one_call(
        [&] { return detail::reproduced_norm2(me, detail::TermLists<double>(&x, 1), options); });
}
/// The same for float.
template <class Me>
[[nodiscard]] float reproducible_norm2(Me& me, std::span<const float> x, const Options& options = {}) {
    return detail::reproduced_norm2(me, detail::TermLists<float>(&x, 1), options);
}

namespace detail {

/// The elements of all buffers.
template <class In>
auto parts_of(In& buffers) {
    using T = element_t<std::ranges::range_reference_t<In>>;
    std::vector<std::span<const T>> parts;
    for (auto&& buffer : buffers) {
        parts.emplace_back(view(buffer));
    }
    return parts;
}

/// A range of buffers of double or float.
template <class In>
concept TermsRange = std::ranges::sized_range<In> && BufferArgument<std::ranges::range_reference_t<In>> &&
    (std::same_as<element_t<std::ranges::range_reference_t<In>>, double> ||
     std::same_as<element_t<std::ranges::range_reference_t<In>>, float>);

} // namespace detail

namespace all_buffers {

/// The sum of the elements of all buffers, which may have different lengths, with the same bits for every
/// division among them: see tutti::reproducible_sum(). The calling thread does the work, without an
/// executor.
template <detail::TermsRange In>
[[nodiscard]] auto reproducible_sum(In&& terms) {
    const auto parts = detail::parts_of(terms);
    detail::Alone me;
    using T = detail::element_t<std::ranges::range_reference_t<In>>;
    return detail::reproduced_sum<T>(me, parts, detail::Alone::Options{});
}

/// The sum of the products of the elements of both, as reproducible as the sum: see
/// tutti::reproducible_dot(). Throws ArgumentError if there are not as many buffers of each, or if two
/// buffers of the same rank have different lengths.
template <detail::TermsRange A, detail::TermsRange B>
requires std::same_as<detail::element_t<std::ranges::range_reference_t<A>>,
                      detail::element_t<std::ranges::range_reference_t<B>>>
[[nodiscard]] auto reproducible_dot(A&& a, B&& b) {
    const auto parts = detail::parts_of(a);
    const auto others = detail::parts_of(b);
    if (parts.size() != others.size()) {
        detail::refuse_lengths("reproducible_dot", parts.size(), others.size());
    }
    detail::Alone me;
    using T = detail::element_t<std::ranges::range_reference_t<A>>;
    return detail::reproduced_dot<T>(me, parts, others, detail::Alone::Options{});
}

/// The Euclidean norm of the elements of all buffers: see tutti::reproducible_norm2().
template <detail::TermsRange In>
[[nodiscard]] auto reproducible_norm2(In&& x) {
    const auto parts = detail::parts_of(x);
    detail::Alone me;
    using T = detail::element_t<std::ranges::range_reference_t<In>>;
    return detail::reproduced_norm2(me, detail::TermLists<T>(parts), detail::Alone::Options{});
}

} // namespace all_buffers

} // namespace tutti::v0_1
