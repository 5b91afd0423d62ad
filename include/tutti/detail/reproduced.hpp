#pragma once

#include <tutti/operators.hpp>
#include <tutti/reproducible.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

// The reproducible sums of all ways of calling. `me` is a member of a group or cluster, or Alone; each list
// of TermLists has elements of this member.
namespace tutti::inline TUTTI_NAMESPACE::detail {

template <class T>
using TermLists = std::span<const std::span<const T>>;

/// The only member of a group, for the single-caller form.
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

} // namespace tutti::inline TUTTI_NAMESPACE::detail
