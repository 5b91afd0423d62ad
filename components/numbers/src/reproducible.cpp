#include "numbers/src/deposits.hpp"

#include <tutti/detail/numbers.hpp>
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

/// The limit of an accumulator with this top bin, except last_bin.
constexpr std::uint64_t limit_of(int top) {
    return static_cast<std::uint64_t>(2047 - bin_bits * top) << exponent_bits_at;
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
    const int by = top_of(bins) - top;
    if (by <= 0) {
        return;
    }
    for (int k = bins.fold - 1; k >= 0; --k) {
        bins.low[k] = k < by ? 0 : bins.low[k - by];
        bins.high[k] = k < by ? 0 : bins.high[k - by];
    }
    bins.limit = limit_of(top);
}

/// Terms that are not finite replace all others.
void mark(const Bins& bins, std::uint64_t marks) {
    bins.limit = marks | (is_finite(bins) ? 0 : bins.limit);
    std::fill_n(bins.low, bins.fold, 0);
    std::fill_n(bins.high, bins.fold, 0);
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
    return bins.limit >= limit_of(last_bin - bins.fold) && bins.limit < limit_of(0);
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
        const kernel::Deposited made = loop(a, b, count, bins.limit);
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

/// Whether the sum of a bin is an integer of 53 bits and a sign, which is a double.
bool is_exact(const Bins& bins, int bin) {
    return bins.high[bin] == 0 && bins.low[bin] >> 53 == bins.low[bin] >> 63;
}

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
    // One addition of two exact doubles, which rounds once. Nothing here is subnormal or overflows.
    if (bins.fold == 2 && !to_float && is_for_loops(bins) && is_exact(bins, 0) && is_exact(bins, 1)) {
        constexpr std::uint64_t from_limit = std::uint64_t{2 * bin_bits - 1} << exponent_bits_at;
        return (static_cast<double>(bins.low[0]) * 0x1p46 + static_cast<double>(bins.low[1])) *
               std::bit_cast<double>(bins.limit - from_limit);
    }
    // The magnitude, in digits of bin_bits bits; the top bin has all bits above these.
    Int128 sum = -1;
    std::uint64_t digits[3];
    bool is_negative = bins.low[0] >= 0; // as a rule not, so that the second sign is right
    while (sum < 0) {
        is_negative = !is_negative;
        sum = 0;
        for (int k = bins.fold - 1; k >= 0; --k) {
            const Int128 bin = (Int128{bins.high[k]} << 64) + bins.low[k];
            sum = (sum >> bin_bits) + (is_negative ? -bin : bin);
            digits[k] = static_cast<std::uint64_t>(sum) & ((std::uint64_t{1} << bin_bits) - 1);
        }
    }
    // All its bits, or the highest ones, are `bits` times 2^exponent.
    auto bits = static_cast<Unsigned128>(sum);
    int exponent = unit_exponent(top_of(bins));
    bool has_more = false;
    for (int k = 1; k < bins.fold; ++k) {
        if (bits >> (128 - bin_bits) == 0) {
            bits = bits << bin_bits | digits[k];
            exponent -= bin_bits;
        } else {
            has_more |= digits[k] != 0;
        }
    }
    if (bits == 0) {
        return 0;
    }
    const auto upper = static_cast<std::uint64_t>(bits >> 64);
    const int width =
        upper != 0 ? 128 - std::countl_zero(upper) : 64 - std::countl_zero(static_cast<std::uint64_t>(bits));
    const int dropped = std::max(width - (to_float ? 24 : 53), (to_float ? -149 : -1074) - exponent);
    if (dropped > width) {
        return is_negative ? -0.0 : 0.0;
    }
    const Unsigned128 halves = dropped > 0 ? bits >> (dropped - 1) : bits << (1 - dropped);
    has_more |= dropped > 0 && halves << (dropped - 1) != bits;
    auto kept = static_cast<std::uint64_t>(halves >> 1);
    kept += static_cast<std::uint64_t>(halves % 2 != 0 && (has_more || kept % 2 != 0));
    // As bits of a double, where a carry goes to the exponent. A subnormal number has the lowest unit.
    const auto made = kept + (static_cast<std::uint64_t>(exponent + dropped + 1074) << exponent_bits_at);
    const double magnitude = to_float ? std::ldexp(static_cast<double>(kept), exponent + dropped)
                                      : std::bit_cast<double>(std::min(made, infinity_bits));
    return is_negative ? -magnitude : magnitude;
}

void refuse_lengths(const char* function, std::size_t a, std::size_t b) {
    throw ArgumentError(std::string(function) + ": `a` has " + std::to_string(a) + " elements and `b` has " +
                        std::to_string(b) + ": they must have the same number");
}

} // namespace tutti::v0_1::detail
