#pragma once

#include <optional>

namespace tutti::laboratory {

/// A difference of two timings is no time where another program has taken the CPU in one of them: what
/// `measure()` returns, which is called up to three times, until that is more than `least`. Nothing if it
/// never is.
template <class Measure>
std::optional<double> measured_above(double least, Measure measure) {
    constexpr int most_tries = 3;
    for (int attempt = 0; attempt < most_tries; ++attempt) {
        const double value = measure();
        if (value > least) {
            return value;
        }
    }
    return std::nullopt;
}

} // namespace tutti::laboratory
