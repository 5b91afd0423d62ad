#pragma once

#include <tutti/operators.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tutti::bench {

/// Calls f(std::type_identity<T>{}) with the C++ type of `type`. Throws std::invalid_argument for
/// Type::other.
template <class F>
decltype(auto) with_type(Type type, F&& f) {
    using std::type_identity;
    switch (type) {
    case Type::i8:
        return f(type_identity<std::int8_t>{});
    case Type::u8:
        return f(type_identity<std::uint8_t>{});
    case Type::i16:
        return f(type_identity<std::int16_t>{});
    case Type::u16:
        return f(type_identity<std::uint16_t>{});
    case Type::i32:
        return f(type_identity<std::int32_t>{});
    case Type::u32:
        return f(type_identity<std::uint32_t>{});
    case Type::i64:
        return f(type_identity<std::int64_t>{});
    case Type::u64:
        return f(type_identity<std::uint64_t>{});
    case Type::f32:
        return f(type_identity<float>{});
    case Type::f64:
        return f(type_identity<double>{});
    case Type::f16:
        return f(type_identity<float16>{});
    case Type::bf16:
        return f(type_identity<bfloat16>{});
    case Type::complex64:
        return f(type_identity<std::complex<float>>{});
    case Type::complex128:
        return f(type_identity<std::complex<double>>{});
    case Type::other:
        break;
    }
    throw std::invalid_argument("only the named element types can be measured");
}

/// Whether T is a type on which Op is defined: as Applicable, but arithmetic types are not mixed with bits.
template <class Op, class T>
concept Measurable = Applicable<Op, T> &&
    (std::integral<T> || std::same_as<Op, Sum> || std::same_as<Op, Prod> || std::same_as<Op, Min> ||
     std::same_as<Op, Max> || std::same_as<Op, Minimum> || std::same_as<Op, Maximum>);

/// Calls f(op) with the function object of `op` for elements of type T. Throws std::invalid_argument where
/// the operator is not defined for T.
template <class T, class F>
decltype(auto) with_operator(Operator op, F&& f) {
    using Result = decltype(f(sum));
    const auto call = [&]<class Op>(const Op& object) -> Result {
        if constexpr (Measurable<Op, T>) {
            return f(object);
        } else {
            throw std::invalid_argument("operator " + std::string(to_string(Op::code)) +
                                        " is not defined for " + std::string(to_string(type_of<T>())));
        }
    };
    switch (op) {
    case Operator::sum:
        return call(sum);
    case Operator::prod:
        return call(prod);
    case Operator::min:
        return call(min);
    case Operator::max:
        return call(max);
    case Operator::land:
        return call(land);
    case Operator::lor:
        return call(lor);
    case Operator::lxor:
        return call(lxor);
    case Operator::band:
        return call(band);
    case Operator::bor:
        return call(bor);
    case Operator::bxor:
        return call(bxor);
    case Operator::minimum:
        return call(minimum);
    case Operator::maximum:
        return call(maximum);
    case Operator::callable:
        break;
    }
    throw std::invalid_argument("only the named operators can be measured");
}

} // namespace tutti::bench
