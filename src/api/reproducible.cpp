#include <tutti/member.hpp>
#include <tutti/reproducible.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace tutti {

namespace {

template <class T>
T sum_of(Member& me, std::span<const T> terms, const Options& options) {
    Reproducible<T> mine;
    mine.add(terms);
    return me.allreduce(mine, sum, options).value();
}

template <class T>
T dot_of(Member& me, std::span<const T> a, std::span<const T> b, const Options& options) {
    if (a.size() != b.size()) {
        detail::refuse_lengths("reproducible_dot", a.size(), b.size());
    }
    Reproducible<T> mine;
    mine.add_products(a, b);
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
double norm_of_scaled(Member& me, std::span<const double> x, const Options& options) {
    double mine = 0;
    for (const double element : x) {
        mine = GreaterMagnitude()(mine, element);
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
    for (const double element : x) {
        const double scaled = std::scalbn(element, -exponent);
        squares.add_product(scaled, scaled);
    }
    return std::scalbn(std::sqrt(me.allreduce(squares, sum, options).value()), exponent);
}

} // namespace

double Member::reproducible_sum(std::span<const double> terms, const Options& options) {
    return sum_of(*this, terms, options);
}

float Member::reproducible_sum(std::span<const float> terms, const Options& options) {
    return sum_of(*this, terms, options);
}

double Member::reproducible_dot(std::span<const double> a, std::span<const double> b,
                                const Options& options) {
    return dot_of(*this, a, b, options);
}

float Member::reproducible_dot(std::span<const float> a, std::span<const float> b, const Options& options) {
    return dot_of(*this, a, b, options);
}

double Member::reproducible_norm2(std::span<const double> x, const Options& options) {
    const double squares = dot_of(*this, x, x, options); // the same on every member
    constexpr double least = 0x1p-900;
    return std::isfinite(squares) && squares >= least ? std::sqrt(squares)
                                                      : norm_of_scaled(*this, x, options);
}

float Member::reproducible_norm2(std::span<const float> x, const Options& options) {
    Reproducible<double> squares; // of floats neither overflow nor underflow in double
    for (const float element : x) {
        squares.add_product(static_cast<double>(element), static_cast<double>(element));
    }
    return static_cast<float>(std::sqrt(allreduce(squares, sum, options).value()));
}

} // namespace tutti
