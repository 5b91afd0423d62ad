// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/detail/standard.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::v0_1 {

namespace detail {

/// The bins of an accumulator. The unit of bin k is 2^unit_exponent(k). The index of a number is the greatest
/// k, at most last_bin, for which |x| < 2^(bin_bits - 1) units of bin k. The top bin of an accumulator is the
/// least index of its terms.
inline constexpr int bin_bits = 46;
inline constexpr int last_bin = 44;
constexpr int unit_exponent(int bin) {
    return 1025 - bin_bits - bin_bits * bin;
}

/// The state of an accumulator, for functions that serve every fold.
struct Bins {
    /// Finite numbers with the exponent field of `limit` or a larger one need a higher top bin: the field is
    /// 2047 - bin_bits * top, and 0 for last_bin. If a term was not finite: the bits below, and all bins
    /// are 0.
    std::uint64_t& limit;
    /// The sums of the terms' parts, in units: high * 2^64 + low, where both are signed.
    std::int64_t* low;
    std::int32_t* high;
    int fold;

    static constexpr std::uint64_t plus_infinity = 1;
    static constexpr std::uint64_t minus_infinity = 2;
    static constexpr std::uint64_t not_a_number = 4;
    static constexpr std::uint64_t not_finite = 7;
};

/// Adds one term of any kind. Any thread may call the functions here, but only one at a time per accumulator.
TUTTI_API void deposit(const Bins& bins, double x) noexcept;
/// Add many terms. If there is a `b`, they are the products of the elements of both.
TUTTI_API void deposit(const Bins& bins, const double* a, const double* b, std::size_t count) noexcept;
TUTTI_API void deposit(const Bins& bins, const float* a, const float* b, std::size_t count) noexcept;
TUTTI_API void merge(const Bins& bins, const Bins& other) noexcept;
/// The sum, rounded once to double (53 bits) or float (24).
TUTTI_API double rounded(const Bins& bins, bool to_float) noexcept;
[[noreturn]] TUTTI_API void refuse_lengths(const char* function, std::size_t a, std::size_t b);

/// x. The compiler does not see where it is from, so that -ffast-math does not simplify (x + y) - y.
inline double opaque(double x) noexcept {
#if defined(__x86_64__)
    asm("" : "+x"(x));
#elif defined(__aarch64__)
    asm("" : "+w"(x));
#else
    asm("" : "+m"(x));
#endif
    return x;
}

} // namespace detail

/// A sum whose bits do not depend on the order of its terms: an accumulator that is exactly associative and
/// commutative. If the members of a group add the terms of one sum to accumulators and reduce these by
/// tutti::sum, the result has the same bits for every number of members, every distribution of the terms,
/// every algorithm, and every instruction set. The state of the accumulator is then also equal, byte for
/// byte. An accumulator is a trivially copyable element of any reduction and scan.
///
/// **Error.** With n terms, of which the largest has the magnitude M, the sum differs from the exact sum by
/// at most n 2^-46 M with fold 2 and n 2^-92 M with fold 3, and is then rounded once to T. The default fold
/// is 3 for double and 2 for float, because the error is then below that of a plain sum. In the caches, fold
/// 2 takes two thirds of the time; with it a double sum can lose terms that are less than 2^-46 of the
/// largest.
///
/// **Special values** are as for the exact sum of the terms: a NaN, or infinities of both signs, make the
/// result a NaN; otherwise an infinity is the result. A sum of finite terms overflows only if its result
/// exceeds the range of T. Subnormal numbers count like all others, unless the thread flushes them to 0
/// (-ffast-math may switch this on). A sum of zeros is +0, also if all terms are -0. An infinity, or a term
/// near DBL_MAX, may raise FE_INVALID and FE_OVERFLOW if a plain sum would not.
///
/// There may be up to 2^49 terms. The rounding mode must be the default, to nearest; -ffast-math does not
/// change a bit. Method: Ahrens, Demmel and Nguyen, "Algorithms for Efficient Reproducible Floating Point
/// Summation", 2020, with integers as accumulators.
///
/// One accumulator may be used by one thread at a time. Nothing here allocates or throws, except
/// add_products().
template <class T, int Fold = std::same_as<T, float> ? 2 : 3>
requires(std::same_as<T, double> || std::same_as<T, float>) && (Fold == 2 || Fold == 3) class Reproducible {
public:
    /// An empty sum.
    constexpr Reproducible() noexcept = default;

    /// Adds one term.
    Reproducible& operator+=(T x) noexcept {
        deposit(static_cast<double>(x));
        return *this;
    }
    /// Adds the terms of another accumulator.
    Reproducible& operator+=(const Reproducible& other) noexcept {
        if (limit_ != other.limit_) [[unlikely]] {
            detail::merge(bins(), other.read_bins());
            return *this;
        }
        for (std::size_t bin = 0; bin < std::size_t{Fold}; ++bin) {
            const std::int32_t high = other.high_[bin]; // `other` may be this accumulator
            add_part(bin, other.low_[bin]);
            high_[bin] += high;
        }
        return *this;
    }
    /// The sum of the terms of both.
    friend Reproducible operator+(Reproducible a, const Reproducible& b) noexcept {
        a += b;
        return a;
    }
    /// Adds all terms of a range, with the vector instructions of the CPU.
    Reproducible& add(std::span<const T> terms) noexcept {
        detail::deposit(bins(), terms.data(), nullptr, terms.size());
        return *this;
    }
    /// Adds a * b. The product is rounded once to double, which is exact for float.
    Reproducible& add_product(T a, T b) noexcept {
        deposit(static_cast<double>(a) * static_cast<double>(b));
        return *this;
    }
    /// Adds a[i] * b[i] for all i, as add_product does. Throws ArgumentError if the lengths differ.
    Reproducible& add_products(std::span<const T> a, std::span<const T> b) {
        if (a.size() != b.size()) {
            detail::refuse_lengths("add_products", a.size(), b.size());
        }
        detail::deposit(bins(), a.data(), b.data(), a.size());
        return *this;
    }

    /// The sum, rounded once to the nearest T.
    T value() const noexcept { return static_cast<T>(detail::rounded(read_bins(), std::same_as<T, float>)); }

    /// Whether the states are equal. The value is then equal, or both are NaN.
    friend bool operator==(const Reproducible&, const Reproducible&) noexcept = default;

private:
    detail::Bins bins() noexcept { return {limit_, low_, high_, Fold}; }
    /// For functions that do not write. A copy would wait for the last stores to its original.
    detail::Bins read_bins() const noexcept { return const_cast<Reproducible&>(*this).bins(); }

    /// The fast path: no tie, and the top bin is high enough.
    void deposit(double x) noexcept {
        const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63U);
        if (magnitude >= limit_) [[unlikely]] {
            return detail::deposit(bins(), x);
        }
        constexpr std::uint64_t one = std::uint64_t{1} << 52U; // in the exponent field
        // 2^-unit_exponent of the top bin. If a term was not finite, x is now tiny and adds 0.
        double rest = x * std::bit_cast<double>((2045 + detail::bin_bits) * one - limit_);
        std::int64_t first = 0;
        std::int64_t second = 0;
        std::int64_t third = 0;
        if (take_part(rest, first) || take_part(rest, second) || (Fold == 3 && take_part(rest, third)))
            [[unlikely]] {
            return detail::deposit(bins(), x);
        }
        add_part(0, first);
        add_part(1, second);
        if constexpr (Fold == 3) {
            add_part(2, third);
        }
    }

    /// Moves the nearest integer from `rest` to `part` and scales `rest` for the next bin. Returns whether
    /// there were two nearest ones.
    static bool take_part(double& rest, std::int64_t& part) noexcept {
        constexpr double shift = 0x1.8p52; // the distance of doubles of this size is 1
        const double shifted = detail::opaque(rest + shift);
        part = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(shift);
        rest -= detail::opaque(shifted - shift);
        const bool tie = std::bit_cast<std::uint64_t>(rest) << 1U == std::bit_cast<std::uint64_t>(0.5) << 1U;
        rest *= static_cast<double>(std::uint64_t{1} << static_cast<unsigned>(detail::bin_bits));
        return tie;
    }

    void add_part(std::size_t bin, std::int64_t part) noexcept {
        if (__builtin_add_overflow(low_[bin], part, &low_[bin])) [[unlikely]] {
            high_[bin] += part < 0 ? -1 : 1;
        }
    }

    static constexpr std::size_t padded_fold = Fold + Fold % 2; // so that equal states are equal bytes

    std::uint64_t limit_ = 0;
    std::int64_t low_[std::size_t{Fold}]{};
    std::int32_t high_[padded_fold]{};
};

} // namespace tutti::v0_1
