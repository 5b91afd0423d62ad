#pragma once

#include "exact.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

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

} // namespace tutti::test
