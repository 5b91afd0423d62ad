#pragma once

#include <tutti/operators.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tutti::bench {

/// Calls f(std::type_identity<T>{}) with the one of these C++ types that is `type`. Throws
/// std::invalid_argument if none is.
template <class First, class... Others, class F>
auto with_one_of(Type type, F&& f) -> decltype(f(std::type_identity<First>{})) {
    if (type == type_of<First>()) {
        return f(std::type_identity<First>{});
    }
    if constexpr (sizeof...(Others) > 0) {
        return with_one_of<Others...>(type, f);
    }
    throw std::invalid_argument("only the named element types can be measured");
}

/// The same with all types that have names; in a build for sums of doubles, which takes a fifth of the time,
/// with double.
template <class F>
auto with_type(Type type, F&& f) {
#ifdef TUTTI_SUMS_OF_DOUBLES
    return with_one_of<double>(type, f);
#else
    return with_one_of<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                       std::int64_t, std::uint64_t, float, double, float16, bfloat16, std::complex<float>,
                       std::complex<double>>(type, f);
#endif
}

constexpr bool is_plotted(Type type) {
    return type == Type::f64 || type == Type::f32 || type == Type::i64 || type == Type::i32;
}

/// The same with the types of problems that are plotted.
template <class F>
auto with_plotted_type(Type type, F&& f) {
#ifdef TUTTI_SUMS_OF_DOUBLES
    return with_one_of<double>(type, f);
#else
    return with_one_of<double, float, std::int64_t, std::int32_t>(type, f);
#endif
}

/// Whether T is a type on which Op is defined: as Applicable, but arithmetic types are not mixed with bits.
template <class Op, class T>
concept Measurable = Applicable<Op, T> &&
    (std::integral<T> || std::same_as<Op, Sum> || std::same_as<Op, Prod> || std::same_as<Op, Min> ||
     std::same_as<Op, Max>);

/// Calls f(op) with the one of these function objects that is `op`, for elements of type T. Throws
/// std::invalid_argument if none is, and if the operator is not defined for T.
template <class T, class F, class First, class... Others>
auto with_one_of(Operator op, F&& f, const First& first, const Others&... others) -> decltype(f(sum)) {
    if (op == First::code) {
        if constexpr (Measurable<First, T>) {
            return f(first);
        }
        throw std::invalid_argument("operator " + std::string(to_string(op)) + " is not defined for " +
                                    std::string(to_string(type_of<T>())));
    }
    if constexpr (sizeof...(Others) > 0) {
        return with_one_of<T>(op, f, others...);
    }
    throw std::invalid_argument("only the named operators can be measured");
}

/// The same with all operators that have names.
template <class T, class F>
auto with_operator(Operator op, F&& f) {
#ifdef TUTTI_SUMS_OF_DOUBLES
    return with_one_of<T>(op, f, sum);
#else
    return with_one_of<T>(op, f, sum, prod, min, max, land, lor, lxor, band, bor, bxor);
#endif
}

} // namespace tutti::bench
