#pragma once

#include "tests/std.hpp"

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

} // namespace tutti::test
