#pragma once

#include "tests/affine.hpp"
#include "tests/api/support.hpp"

#include <tutti/numbers.hpp>

namespace tutti::test {

/// An exact sum of doubles: a fixed-point number of 2304 bits, in digits of 32 bits, the lowest of which has
/// the unit 2^-1152. Digits are signed and may be carried late.
class ExactSum {
public:
    void add(double x) {
        if (x == 0) {
            return;
        }
        int exponent = 0;
        const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
        const int at = exponent - 53 + 1152;
        const std::uint64_t magnitude = static_cast<std::uint64_t>(mantissa < 0 ? -mantissa : mantissa);
        std::uint64_t low = magnitude << static_cast<unsigned>(at % 32);
        const std::uint64_t high = at % 32 == 0 ? 0 : magnitude >> static_cast<unsigned>(64 - at % 32);
        const std::int64_t sign = mantissa < 0 ? -1 : 1;
        const auto digit = static_cast<std::size_t>(at / 32);
        digits_[digit] += sign * static_cast<std::int64_t>(low & 0xffffffffU);
        digits_[digit + 1] += sign * static_cast<std::int64_t>(low >> 32U);
        digits_[digit + 2] += sign * static_cast<std::int64_t>(high);
    }

    /// The sum, with a relative error of less than 2^-40: for differences to it, which are added first.
    double approximately() {
        for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
            const std::int64_t carry = (digits_[i] + (std::int64_t{1} << 31U)) >> 32U; // to -2^31 .. 2^31 - 1
            digits_[i] -= carry * (std::int64_t{1} << 32U);
            digits_[i + 1] += carry;
        }
        double sum = 0;
        for (std::size_t i = digits_.size(); i-- > 0;) {
            sum += std::ldexp(static_cast<double>(digits_[i]), static_cast<int>(i) * 32 - 1152);
        }
        return sum;
    }

private:
    std::array<std::int64_t, 72> digits_{};
};

/// The difference to the exact sum may be n 2^(-46 (fold - 1)) times the largest term, and one rounding.
template <int Fold, class T>
void check_error(const std::vector<T>& terms, T value) {
    ExactSum difference;
    double largest = 0;
    for (const T term : terms) {
        difference.add(static_cast<double>(term));
        largest = std::max(largest, std::fabs(static_cast<double>(term)));
    }
    if (std::isinf(value)) { // the exact sum is beyond the largest number
        difference.add(-static_cast<double>(std::copysign(std::numeric_limits<T>::max(), value)));
        CHECK(std::signbit(difference.approximately()) == std::signbit(value));
        return;
    }
    difference.add(-static_cast<double>(value));
    const T magnitude = std::fabs(value);
    const double rounding =
        (static_cast<double>(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) -
         static_cast<double>(magnitude)) /
        2;
    const double bound = std::ldexp(largest, -46 * (Fold - 1)) * static_cast<double>(terms.size());
    CHECK(std::fabs(difference.approximately()) <= (bound + rounding) * (1 + 0x1p-30));
}

/// The difference of a fixed tree of doubles to the exact sum may be 2^-53 times the sum of all magnitudes
/// for each addition that a term can take part in (Higham 2002, section 4.2).
inline void check_tree_error(const std::vector<double>& terms, double value) {
    if (!std::isfinite(value)) { // a node has overflowed
        return;
    }
    ExactSum difference;
    double magnitudes = 0;
    for (const double term : terms) {
        difference.add(term);
        magnitudes += std::fabs(term);
    }
    difference.add(-value);
    // Lanes of a row and terms behind the last row, rows of a chunk or chunks.
    const double additions = 3 + 7 + std::ceil(std::log2(1 + static_cast<double>(terms.size()) / 8));
    CHECK(std::fabs(difference.approximately()) <= std::ldexp(additions, -53) * magnitudes * (1 + 0x1p-30));
}

enum class Terms { plain, positive, wide, huge_range, cancelling, ill_conditioned, subnormal, large };
inline constexpr Terms all_kinds[] = {Terms::plain,      Terms::positive,   Terms::wide,
                                      Terms::huge_range, Terms::cancelling, Terms::ill_conditioned,
                                      Terms::subnormal,  Terms::large};

/// A random number of about 2^lowest to 2^highest, of both signs.
template <class T>
T random_term(int lowest, int highest, std::mt19937& engine) {
    const T mantissa = std::uniform_real_distribution<T>(-1, 1)(engine);
    return std::ldexp(mantissa, std::uniform_int_distribution<int>(lowest, highest)(engine));
}

/// Term i after `before`.
template <class T>
T term_of(Terms kind, std::size_t i, const std::vector<T>& before, std::mt19937& engine) {
    constexpr int most = std::numeric_limits<T>::max_exponent - 1;
    constexpr int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
    const auto random = [&](int lowest, int highest) { return random_term<T>(lowest, highest, engine); };
    switch (kind) {
    case Terms::plain:
        return random(0, 0);
    case Terms::positive:
        return std::fabs(random(-3, 3));
    case Terms::wide:
        return random(-60, 60);
    case Terms::huge_range:
        return random(least, most);
    case Terms::cancelling:
        return i % 2 == 0 ? random(-20, 20) : -before.back();
    case Terms::ill_conditioned: // the larger half sums to 0
        return i % 4 == 1 ? -before.back() : random(i % 4 == 0 ? 70 : -30, i % 4 == 0 ? 90 : 0);
    case Terms::subnormal:
        return random(least, least + std::numeric_limits<T>::digits + 2);
    case Terms::large:
        return random(most - 20, most);
    }
    return 0;
}

template <class T>
std::vector<T> make_terms(Terms kind, std::size_t count, std::mt19937& engine) {
    std::vector<T> made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back(term_of(kind, i, made, engine));
    }
    return made;
}

inline constexpr int all_team_sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                         11, 12, 13, 14, 15, 16, 31, 32, 33, 64};

/// The start of each member's part of `count` elements, and the end: random, with empty parts.
inline std::vector<std::size_t> random_borders(int members, std::size_t count, std::mt19937& engine) {
    std::vector<std::size_t> borders = {0, count};
    for (int i = 1; i < members; ++i) {
        borders.push_back(engine() % (count + 1));
    }
    std::sort(borders.begin(), borders.end());
    return borders;
}

template <class T>
std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& borders, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return std::span<const T>(all).subspan(borders[at], borders[at + 1] - borders[at]);
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

inline Team team_of(int members) {
    return Team(members, {.placement = Placement::none});
}

} // namespace tutti::test
