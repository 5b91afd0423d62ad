#pragma once

#include "tests/std.hpp"

namespace tutti::test {

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

template <class T>
std::vector<T> make_terms(Terms kind, std::size_t count, std::mt19937& engine) {
    constexpr int most = std::numeric_limits<T>::max_exponent - 1;
    constexpr int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
    std::vector<T> made;
    for (std::size_t i = 0; i < count; ++i) {
        switch (kind) {
        case Terms::plain:
            made.push_back(random_term<T>(0, 0, engine));
            break;
        case Terms::positive:
            made.push_back(std::fabs(random_term<T>(-3, 3, engine)));
            break;
        case Terms::wide:
            made.push_back(random_term<T>(-60, 60, engine));
            break;
        case Terms::huge_range:
            made.push_back(random_term<T>(least, most, engine));
            break;
        case Terms::cancelling:
            made.push_back(i % 2 == 0 ? random_term<T>(-20, 20, engine) : -made.back());
            break;
        case Terms::ill_conditioned: // the larger half sums to 0
            made.push_back(i % 4 == 1 ? -made.back()
                                      : random_term<T>(i % 4 == 0 ? 70 : -30, i % 4 == 0 ? 90 : 0, engine));
            break;
        case Terms::subnormal:
            made.push_back(random_term<T>(least, least + std::numeric_limits<T>::digits + 2, engine));
            break;
        case Terms::large:
            made.push_back(random_term<T>(most - 20, most, engine));
            break;
        }
    }
    return made;
}

} // namespace tutti::test
