#pragma once

#include "exact.hpp"
#include "tests/test.hpp"

namespace tutti::test {

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

} // namespace tutti::test
