#pragma once

#include <tutti/operators.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace reference {

template <class T>
concept Complex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

/// The pairs that have kernels, stated independently of the library.
template <class T>
constexpr bool makes_sense(tutti::Operator op) {
    using enum tutti::Operator;
    switch (op) {
    case sum:
    case prod:
        return true;
    case min:
    case max:
        return !Complex<T>;
    case callable:
        return false;
    default:
        return std::integral<T>;
    }
}

template <std::integral T>
T apply(tutti::Operator op, T a, T b) {
    using enum tutti::Operator;
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    switch (op) {
    case sum:
        return static_cast<T>(x + y);
    case prod:
        return static_cast<T>(x * y);
    case min:
        return b < a ? b : a;
    case max:
        return a < b ? b : a;
    case land:
        return static_cast<T>(a != 0 && b != 0 ? 1 : 0);
    case lor:
        return static_cast<T>(a != 0 || b != 0 ? 1 : 0);
    case lxor:
        return static_cast<T>((a != 0) != (b != 0) ? 1 : 0);
    case band:
        return static_cast<T>(x & y);
    case bor:
        return static_cast<T>(x | y);
    case bxor:
        return static_cast<T>(x ^ y);
    case callable:
        break;
    }
    throw std::logic_error("no such pair");
}

template <std::floating_point T>
T apply(tutti::Operator op, T a, T b) {
    using enum tutti::Operator;
    switch (op) {
    case sum:
        return a + b;
    case prod:
        return a * b;
    case min:
        return b < a ? b : a;
    case max:
        return a < b ? b : a;
    default:
        throw std::logic_error("no such pair");
    }
}

template <Complex T>
T apply(tutti::Operator op, T a, T b) {
    switch (op) {
    case tutti::Operator::sum:
        return {a.real() + b.real(), a.imag() + b.imag()};
    case tutti::Operator::prod:
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    default:
        throw std::logic_error("no such pair");
    }
}

/// A third small values (so that zeros and equal elements occur), the rest anything: all bits for integers,
/// and for floating point also infinities, signed zeros, NaN and denormals.
template <class T>
T random_element(std::mt19937_64& random) {
    if constexpr (Complex<T>) {
        using Real = typename T::value_type;
        const Real real = random_element<Real>(random);
        return {real, random_element<Real>(random)};
    } else if constexpr (std::integral<T>) {
        return static_cast<T>(random() % 3 == 0 ? random() % 3 : random());
    } else {
        using Limits = std::numeric_limits<T>;
        const T special[] = {
            T(0), -T(0), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min()};
        if (random() % 16 == 0) {
            return special[random() % std::size(special)];
        }
        return std::uniform_real_distribution<T>(-2, 2)(random);
    }
}

template <class T>
std::vector<T> random_vector(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> elements(count);
    for (T& element : elements) {
        element = random_element<T>(random);
    }
    return elements;
}

/// The same bits; but where a sum or product is NaN, any NaN.
template <class T>
bool same(T a, T b, bool any_nan) {
    if constexpr (Complex<T>) {
        return same(a.real(), b.real(), any_nan) && same(a.imag(), b.imag(), any_nan);
    } else {
        if constexpr (std::floating_point<T>) {
            if (any_nan && a != a && b != b) {
                return true;
            }
        }
        return std::memcmp(&a, &b, sizeof a) == 0;
    }
}

} // namespace reference
