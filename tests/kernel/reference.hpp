#pragma once

#include "../std.hpp"

#include <tutti/half.hpp>
#include <tutti/operators.hpp>

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

/// The result of an operation on a and b, except that a NaN `a` gives that NaN, made quiet: compilers may
/// swap operands.
template <std::floating_point T>
T with_left_nan(T a, T result) {
    return std::isnan(a) ? a + a : result;
}

/// The number with the other sign, also of a NaN.
template <std::floating_point T>
T opposite(T a) {
    return std::copysign(a, std::signbit(a) ? T(1) : T(-1));
}

/// IEEE 754-2019; of two NaNs the one without a sign, then that with the smaller payload or, if both have a
/// sign, the greater one.
template <std::floating_point T>
T minimum_of(T a, T b) {
    if (std::isnan(a) && std::isnan(b)) {
        using Bits = std::conditional_t<sizeof(T) == sizeof(double), std::uint64_t, std::uint32_t>;
        if (std::signbit(a) != std::signbit(b)) {
            return std::signbit(a) ? b : a;
        }
        return (std::bit_cast<Bits>(a) < std::bit_cast<Bits>(b)) != std::signbit(a) ? a : b;
    }
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) ? a : b;
    }
    return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}

template <std::floating_point T>
T apply(tutti::Operator op, T a, T b) {
    using enum tutti::Operator;
    switch (op) {
    case sum:
        return with_left_nan(a, a + b);
    case prod:
        return with_left_nan(a, a * b);
    case min:
        return minimum_of(a, b);
    case max:
        return opposite(minimum_of(opposite(a), opposite(b)));
    default:
        throw std::logic_error("no such pair");
    }
}

template <Complex T>
T apply(tutti::Operator op, T a, T b) {
    switch (op) {
    case tutti::Operator::sum:
        return {apply(op, a.real(), b.real()), apply(op, a.imag(), b.imag())};
    case tutti::Operator::prod: {
        const auto of_reals = apply(op, a.real(), b.real());
        const auto of_imags = apply(op, a.imag(), b.imag());
        // Clang makes the right one the sum of -of_imags, which has the other sign as a NaN.
        return {with_left_nan(of_reals, with_left_nan(of_imags, of_reals - of_imags)),
                apply(tutti::Operator::sum, apply(op, a.real(), b.imag()), apply(op, a.imag(), b.real()))};
    }
    default:
        throw std::logic_error("no such pair");
    }
}

/// Quiet or signalling, with any sign and payload.
template <std::floating_point T>
T random_nan(std::mt19937_64& random) {
    using Bits = std::conditional_t<sizeof(T) == sizeof(double), std::uint64_t, std::uint32_t>;
    constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
    const Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    const Bits sign_and_fraction = static_cast<Bits>(random()) & ~exponent;
    const Bits nonzero = Bits{1} << (random() % fraction_bits);
    return std::bit_cast<T>(exponent | sign_and_fraction | nonzero);
}

/// A third small values (so that zeros and equal elements occur), the rest anything: all bits for integers,
/// and for floating point also infinities, signed zeros, denormals and NaN. Numbers of 16 bits have any bits,
/// or are small, as most others would be too large to be added or multiplied.
template <class T>
T random_element(std::mt19937_64& random) {
    if constexpr (Complex<T>) {
        using Real = typename T::value_type;
        const Real real = random_element<Real>(random);
        return {real, random_element<Real>(random)};
    } else if constexpr (tutti::detail::Half<T>) {
        const auto bits = static_cast<std::uint16_t>(random());
        const T small(std::uniform_real_distribution<float>(-2, 2)(random));
        return random() % 4 == 0 ? T::from_bits(bits) : small;
    } else if constexpr (std::integral<T>) {
        return static_cast<T>(random() % 3 == 0 ? random() % 3 : random());
    } else {
        using Limits = std::numeric_limits<T>;
        const T special[] = {T(0), -T(0), Limits::infinity(), -Limits::infinity(), Limits::denorm_min()};
        if (random() % 16 == 0) {
            return random() % 2 == 0 ? random_nan<T>(random) : special[random() % std::size(special)];
        }
        return std::uniform_real_distribution<T>(-2, 2)(random);
    }
}

/// Of floating-point numbers every 32nd is a NaN, and the next a zero whose sign depends on the parity of the
/// seed: operands of successive seeds meet others of their kind.
template <class T>
std::vector<T> random_vector(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> elements(count);
    for (std::size_t i = 0; i < count; ++i) {
        elements[i] = random_element<T>(random);
        if constexpr (std::floating_point<T>) {
            elements[i] = i % 32 == 0   ? random_nan<T>(random)
                          : i % 32 == 1 ? std::copysign(T(0), (seed + i / 32) % 2 == 0 ? T(1) : T(-1))
                                        : elements[i];
        }
    }
    return elements;
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The same bits, or any two NaNs.
template <class T>
bool same_or_nan(T a, T b) {
    if constexpr (Complex<T>) {
        return same_or_nan(a.real(), b.real()) && same_or_nan(a.imag(), b.imag());
    } else {
        return same_bits(a, b) || (a != a && b != b);
    }
}

} // namespace reference
