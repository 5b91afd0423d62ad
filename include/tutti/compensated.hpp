#pragma once

#include <tutti/detail/standard.hpp>

#include <concepts>
#include <cstddef>
#include <span>

namespace tutti::inline TUTTI_NAMESPACE {

/// A sum with about twice the precision of T: the rounded sum and the sum of all rounding errors. It is a
/// trivially copyable element of reductions and scans by tutti::sum.
///
///     tutti::Compensated<double> sum;
///     sum.add(terms);
///     const double total = me.allreduce(sum, tutti::sum).value();
///
/// With n terms and the unit roundoff u of T, value() differs from the exact sum by about u times the sum
/// plus n^2 u^2 times the sum of magnitudes. The bits depend on the order of the terms and therefore on the
/// number of members, unlike those of Reproducible. A loop with += takes about twice the time of a plain
/// loop, and a third of that with Reproducible, whose add() is faster for ranges.
///
/// If a term or the plain sum is an infinity or a NaN, value() is the plain sum. The rounding mode must be
/// the default, to nearest. A program that is compiled with -ffast-math loses the compensation. Method:
/// Ogita, Rump and Oishi, "Accurate Sum and Dot Product", 2005 (Sum2), with TwoSum of Knuth.
///
/// One sum may be used by one thread at a time. Nothing here allocates or throws.
template <std::floating_point T>
class Compensated {
public:
    /// An empty sum.
    constexpr Compensated() noexcept = default;

    /// Adds one term.
    constexpr Compensated& operator+=(T x) noexcept {
        add_to(sum_, errors_, x);
        return *this;
    }
    /// Adds the terms of another sum.
    constexpr Compensated& operator+=(const Compensated& other) noexcept {
        *this += other.sum_;
        errors_ += other.errors_;
        return *this;
    }
    /// The sum of the terms of both.
    friend constexpr Compensated operator+(Compensated a, const Compensated& b) noexcept {
        a += b;
        return a;
    }
    /// Adds all terms of a range. Several partial sums take turns, so that the compiler can use vectors.
    constexpr Compensated& add(std::span<const T> terms) noexcept {
        constexpr std::size_t lanes = 8;
        T sums[lanes]{};
        T errors[lanes]{};
        const std::size_t whole = terms.size() / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                add_to(sums[lane], errors[lane], terms[i + lane]);
            }
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            *this += sums[lane];
            errors_ += errors[lane];
        }
        for (const T& x : terms.subspan(whole)) {
            *this += x;
        }
        return *this;
    }

    /// The sum, rounded to T.
    constexpr T value() const noexcept {
        const bool has_errors = errors_ - errors_ == 0; // they are not finite if a sum was not
        return has_errors ? sum_ + errors_ : sum_;
    }

    /// Whether the states are equal.
    friend constexpr bool operator==(const Compensated&, const Compensated&) noexcept = default;

private:
    /// TwoSum, without branches.
    static constexpr void add_to(T& total, T& errors, T x) noexcept {
        const T rounded = total + x;
        const T added = rounded - total;
        errors += (total - (rounded - added)) + (x - added);
        total = rounded;
    }

    T sum_ = 0;
    T errors_ = 0;
};

} // namespace tutti::inline TUTTI_NAMESPACE
