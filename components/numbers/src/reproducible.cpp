#include "numbers/src/deposits.hpp"

#include <tutti/error.hpp>
#include <tutti/reproducible.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

// Why every order gives the same bits (Ahrens, Demmel and Nguyen 2020, section 3: the slices of a number and
// the indexed sum): a term x is split into parts, the first of which is x rounded to a multiple of the unit
// of bin 0, the next is the rest rounded to a multiple of the unit of bin 1, and so on. All parts depend on x
// alone. Bins above the index of x get 0, because |x| is less than half of their units. The state is the
// least index t of all terms, and for each of the bins t to t + fold - 1 the sum of all terms' parts, an
// exact integer. Both depend on the multiset of terms only. An accumulator keeps exactly this: it adds parts
// as integers, and if t decreases, it drops the lowest bins and begins the new ones with 0, which is the sum
// of the earlier terms' parts there. The paper rounds ties away from 0 and keeps each sum as two doubles that
// are to be renormalised; here ties go towards 0, and integers need no renormalisation and are canonical.
namespace tutti::v0_1::detail {

namespace {

constexpr unsigned exponent_bits_at = 52;
constexpr std::uint64_t infinity_bits = std::uint64_t{2047} << 52U;

std::uint64_t magnitude_of(double x) {
    return std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63U);
}

bool is_finite(const Bins& bins) {
    return (bins.limit & Bins::not_finite) == 0;
}

int top_of(const Bins& bins) {
    return (2047 - static_cast<int>(bins.limit >> exponent_bits_at)) / bin_bits;
}

int index_of(std::uint64_t magnitude) {
    return (2046 - static_cast<int>(magnitude >> exponent_bits_at)) / bin_bits;
}

void add(const Bins& bins, int bin, std::int64_t low, std::int32_t high = 0) {
    if (__builtin_add_overflow(bins.low[bin], low, &bins.low[bin])) {
        high += low < 0 ? -1 : 1;
    }
    bins.high[bin] += high;
}

/// Makes the top bin at least as high as `top`.
void raise(const Bins& bins, int top) {
    const int by = std::min(top_of(bins) - top, bins.fold);
    if (by <= 0) {
        return;
    }
    std::copy_backward(bins.low, bins.low + bins.fold - by, bins.low + bins.fold);
    std::copy_backward(bins.high, bins.high + bins.fold - by, bins.high + bins.fold);
    std::fill_n(bins.low, by, 0);
    std::fill_n(bins.high, by, 0);
    bins.limit = static_cast<std::uint64_t>(2047 - bin_bits * top) << exponent_bits_at;
}

/// Terms that are not finite replace all others.
void mark(const Bins& bins, std::uint64_t marks) {
    bins.limit = marks | (is_finite(bins) ? 0 : bins.limit);
    std::fill_n(bins.low, bins.fold, 0);
    std::fill_n(bins.high, bins.fold, 0);
}

/// Faster than std::ldexp, for exponents from -1074 to 1023.
double power_of_2(int exponent) {
    return exponent < -1022
               ? std::bit_cast<double>(std::uint64_t{1} << static_cast<unsigned>(exponent + 1074))
               : std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << exponent_bits_at);
}

double nearest_ties_to_zero(double x) {
    const double even = std::nearbyint(x);
    const bool tie_away = std::fabs(x - even) == 0.5 && std::fabs(even) > std::fabs(x);
    return tie_away ? std::trunc(x) : even;
}

template <class T>
double product_or_term(double a, const T* b, std::size_t i) {
    return b == nullptr ? a : a * static_cast<double>(b[i]);
}

template <class T>
std::uint64_t greatest_of(const T* a, const T* b, std::size_t count) {
    std::uint64_t greatest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        greatest = std::max(greatest, magnitude_of(product_or_term(a[i], b, i)));
    }
    return greatest;
}

/// Whether the vector loops can use the units of the bins. The unit of last_bin is subnormal, so threads that
/// flush these would have 0.
bool is_for_loops(const Bins& bins) {
    const int top = top_of(bins);
    return is_finite(bins) && top > 0 && top + bins.fold - 1 < last_bin;
}

template <class T>
void deposit_part(const Bins& bins, kernel::DepositLoop loop, const T* a, const T* b, std::size_t count) {
    if (bins.limit == 0) {
        // A guess, so that the loop runs once in most cases.
        std::uint64_t greatest = greatest_of(a, b, std::min<std::size_t>(count, 8));
        if (index_of(greatest) == last_bin) { // zeros at the beginning
            greatest = greatest_of(a, b, count);
        }
        if (greatest == 0) {
            return; // zeros add nothing
        }
        if (greatest < infinity_bits) {
            raise(bins, index_of(greatest));
        }
    }
    while (is_for_loops(bins)) {
        double units[3];
        for (int k = 0; k < bins.fold; ++k) {
            units[k] = power_of_2(unit_exponent(top_of(bins) + k));
        }
        const kernel::Deposited made = loop(a, b, count, units);
        if (made.greatest < bins.limit) {
            for (int k = 0; k < bins.fold; ++k) {
                add(bins, k, static_cast<std::int64_t>(made.parts[k]));
            }
            return;
        }
        if (made.greatest >= infinity_bits) {
            break;
        }
        raise(bins, index_of(made.greatest));
    }
    for (std::size_t i = 0; i < count; ++i) {
        deposit(bins, product_or_term(a[i], b, i));
    }
}

template <class T>
void deposit_all(const Bins& bins, kernel::DepositLoop loop, const T* a, const T* b, std::size_t count) {
    for (std::size_t begin = 0; begin < count; begin += kernel::most_deposited) {
        deposit_part(bins, loop, a + begin, b == nullptr ? b : b + begin,
                     std::min(kernel::most_deposited, count - begin));
    }
}

/// The sum of all bins in units of the lowest: 96 + 46 + 46 bits and a sign.
class WideInteger {
public:
    static constexpr int all_bits = 192;

    explicit WideInteger(const Bins& bins) {
        for (int k = 0; k < bins.fold; ++k) {
            shift_left(bin_bits);
            const std::int64_t high = bins.high[k] - (bins.low[k] < 0 ? 1 : 0);
            const auto sign = static_cast<std::uint64_t>(high < 0 ? -1 : 0);
            add({static_cast<std::uint64_t>(bins.low[k]), static_cast<std::uint64_t>(high), sign});
        }
        negative_ = (words_[2] >> 63U) != 0;
        if (negative_) {
            for (std::uint64_t& word : words_) {
                word = ~word;
            }
            add({1, 0, 0});
        }
    }

    bool is_negative() const { return negative_; }

    /// Moves the highest 1 of the magnitude to the top bit of the highest word; returns by how many bits it
    /// moved, or all_bits if there is none.
    int normalise() {
        int moved = 0;
        while (words_[2] == 0 && moved < all_bits) {
            std::copy_backward(words_, words_ + 2, words_ + 3);
            words_[0] = 0;
            moved += 64;
        }
        const int zeros = std::countl_zero(words_[2]);
        if (moved < all_bits && zeros != 0) {
            shift_left(static_cast<unsigned>(zeros));
            moved += zeros;
        }
        return moved;
    }

    std::uint64_t highest() const { return words_[2]; }
    bool has_more() const { return (words_[0] | words_[1]) != 0; }

private:
    struct Words {
        std::uint64_t words[3];
    };

    void shift_left(unsigned bits) {
        for (int i = 2; i > 0; --i) {
            words_[i] = words_[i] << bits | words_[i - 1] >> (64 - bits);
        }
        words_[0] <<= bits;
    }

    void add(const Words& other) {
        std::uint64_t carry = 0;
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t with_carry = other.words[i] + carry;
            carry = with_carry < carry ? 1 : 0;
            words_[i] += with_carry;
            carry += words_[i] < with_carry ? 1 : 0;
        }
    }

    std::uint64_t words_[3] = {};
    bool negative_;
};

double special_value(std::uint64_t marks) {
    using Limits = std::numeric_limits<double>;
    return marks == Bins::plus_infinity    ? Limits::infinity()
           : marks == Bins::minus_infinity ? -Limits::infinity()
                                           : Limits::quiet_NaN();
}

const kernel::DepositLoops& deposit_loops(int fold) {
    return kernel::in_isa(kernel::chosen_isa(), [fold]<kernel::Isa isa>() -> const kernel::DepositLoops& {
        return kernel::deposits<isa>(fold);
    });
}

} // namespace

void deposit(const Bins& bins, double x) noexcept {
    const std::uint64_t magnitude = magnitude_of(x);
    if (magnitude >= infinity_bits) {
        return mark(bins, magnitude > infinity_bits ? Bins::not_a_number
                          : x > 0                   ? Bins::plus_infinity
                                                    : Bins::minus_infinity);
    }
    if (magnitude == 0 || !is_finite(bins)) { // zeros add nothing
        return;
    }
    raise(bins, index_of(magnitude));
    double rest = std::ldexp(x, -unit_exponent(top_of(bins)));
    for (int k = 0; k < bins.fold; ++k) {
        const double part = nearest_ties_to_zero(rest);
        add(bins, k, static_cast<std::int64_t>(part));
        rest = std::ldexp(rest - part, bin_bits);
    }
}

void deposit(const Bins& bins, const double* a, const double* b, std::size_t count) noexcept {
    deposit_all(bins, deposit_loops(bins.fold).of_double[b != nullptr ? 1 : 0], a, b, count);
}

void deposit(const Bins& bins, const float* a, const float* b, std::size_t count) noexcept {
    deposit_all(bins, deposit_loops(bins.fold).of_float[b != nullptr ? 1 : 0], a, b, count);
}

void merge(const Bins& bins, const Bins& other) noexcept {
    if (!is_finite(other)) {
        return mark(bins, other.limit);
    }
    if (!is_finite(bins)) {
        return;
    }
    raise(bins, top_of(other));
    const int below = top_of(other) - top_of(bins);
    for (int k = below; k < bins.fold; ++k) {
        add(bins, k, other.low[k - below], other.high[k - below]);
    }
}

double rounded(const Bins& bins, bool to_float) noexcept {
    if (!is_finite(bins)) {
        return special_value(bins.limit);
    }
    WideInteger sum(bins);
    const int moved = sum.normalise();
    if (moved == WideInteger::all_bits) {
        return 0;
    }
    // The sum is `highest` times 2^exponent, and the parts below.
    const int exponent = unit_exponent(top_of(bins) + bins.fold - 1) + WideInteger::all_bits - moved - 64;
    const int lowest_unit = to_float ? -149 : -1074;
    const int dropped = std::max(to_float ? 64 - 24 : 64 - 53, lowest_unit - exponent);
    if (dropped > 64) {
        return sum.is_negative() ? -0.0 : 0.0;
    }
    const std::uint64_t kept = dropped == 64 ? 0 : sum.highest() >> static_cast<unsigned>(dropped);
    const std::uint64_t rest = sum.highest() << static_cast<unsigned>(64 - dropped);
    constexpr std::uint64_t half = std::uint64_t{1} << 63U;
    const bool up = rest > half || (rest == half && (sum.has_more() || kept % 2 != 0));
    const double magnitude = std::ldexp(static_cast<double>(kept + (up ? 1 : 0)), exponent + dropped);
    return sum.is_negative() ? -magnitude : magnitude;
}

void refuse_lengths(const char* function, std::size_t a, std::size_t b) {
    throw ArgumentError(std::string(function) + ": `a` has " + std::to_string(a) + " elements and `b` has " +
                        std::to_string(b) + ": they must have the same number");
}

} // namespace tutti::v0_1::detail
