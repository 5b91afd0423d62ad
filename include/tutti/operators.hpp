// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/numbers.hpp>
#include <tutti/detail/types.hpp>
#include <tutti/half.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tutti::v0_1 {

namespace detail {

/// The operator of the library that has the identity of a function object of the standard library, such as
/// std::plus; without `type` if there is none. tutti/detail/buffers.hpp, which every header with collectives
/// includes, has the specialisations, because <functional> is a long header.
template <template <class> class F>
struct Counterpart {};

/// The operator that has the identity of Op: itself, or its counterpart.
template <class Op, class T>
struct WithIdentity : std::type_identity<Op> {};
template <template <class> class F, class U, class T>
requires(std::same_as<U, void> || std::same_as<U, T>) && requires {
    typename Counterpart<F>::type;
}
struct WithIdentity<F<U>, T> : Counterpart<F> {};

/// The base of each operator of the library. A class that a program derives from one is not the `Self` of
/// its base.
template <class Self>
struct BuiltIn {};

template <class Self, Operator Code>
struct WithCode : BuiltIn<Self> {
    /// The operator's run-time code.
    static constexpr Operator code = Code;
};

template <class T, class Op>
concept NumberFor = (Numeric<T> || IntegerOrBool<T> ||
                     Bits<T>)&&std::is_invocable_v<const Op&, const T&, const T&>;

/// The base of those whose identity is 0 or 1, among all kinds of numbers that they combine.
template <class Self, Operator Code, int Identity>
struct WithNumber : WithCode<Self, Code> {
    template <NumberFor<Self> T>
    static constexpr T identity() {
        return static_cast<T>(Identity);
    }
};

/// The identity of an operator that has one.
template <class Op, class T>
constexpr auto identity_of() -> decltype(WithIdentity<Op, T>::type::template identity<T>()) {
    return WithIdentity<Op, T>::type::template identity<T>();
}

} // namespace detail

/// Whether Op has an identity among the elements of type T: the result of an exscan by value on rank 0. It is
/// the result of the operator's static member function template identity<T>(), which an operator of the
/// program may have too. std::plus, std::multiplies, std::bit_and, std::bit_or, std::bit_xor,
/// std::logical_and and std::logical_or of void or T have the identities of the library's operators.
template <class Op, class T>
concept HasIdentity = requires {
    { detail::identity_of<Op, T>() } -> std::same_as<T>;
};

/// a + b. Integers wrap modulo 2^bits. If both operands are NaN in a collective, the payload of the left NaN
/// is kept, for float, double and their complex types. RISC-V processors keep no payload: there the result is
/// the canonical NaN. Numbers of 16 bits are added as float, and the sum of all operands of a call is rounded
/// once. Not for bool. Its identity is 0.
struct Sum : detail::WithNumber<Sum, Operator::sum, 0> {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a + b); }
    constexpr T operator()(const T& a, const T& b) const {
        if constexpr (detail::Integer<T>) {
            return static_cast<T>(static_cast<detail::Wrapping<T>>(a) + static_cast<detail::Wrapping<T>>(b));
        } else {
            return static_cast<T>(a + b);
        }
    }
};

/// a * b. Integers wrap modulo 2^bits. Complex numbers use the plain formula (ac - bd, ad + bc), without the
/// recovery of infinities that std::complex adds. NaNs and numbers of 16 bits are treated as in Sum. Not for
/// bool. Its identity is 1.
struct Prod : detail::WithNumber<Prod, Operator::prod, 1> {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a * b); }
    constexpr T operator()(const T& a, const T& b) const {
        if constexpr (detail::Integer<T>) {
            return static_cast<T>(static_cast<detail::Wrapping<T>>(a) * static_cast<detail::Wrapping<T>>(b));
        } else if constexpr (detail::is_complex<T>) {
            return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
        } else {
            return static_cast<T>(a * b);
        }
    }
};

/// The least operand as by `minimum` of IEEE 754-2019: a NaN if any operand is NaN, and -0 is less than +0.
/// The result is one of the operands, bit for bit, also if it is a signalling NaN; among several NaNs, their
/// sign and payload decide, so that it does not depend on the order of the operands. Elements that are not
/// floating-point numbers are compared with <; if neither is less, the result is the left operand. Not for
/// complex numbers and bool.
struct Min : detail::WithCode<Min, Operator::min> {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<bool>(b < a); }
    constexpr T operator()(const T& a, const T& b) const { return detail::is_below<true>(b, a) ? b : a; }
    /// The identity: infinity, or the greatest integer.
    template <detail::Real T>
    static constexpr T identity() {
        return detail::greatest<T>();
    }
};

/// The greatest operand as by `maximum` of IEEE 754-2019, otherwise as Min.
struct Max : detail::WithCode<Max, Operator::max> {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<bool>(a < b); }
    constexpr T operator()(const T& a, const T& b) const { return detail::is_below<false>(a, b) ? b : a; }
    /// The identity: -infinity, or the least integer.
    template <detail::Real T>
    static constexpr T identity() {
        return detail::least<T>();
    }
};

/// 1 if both are non-zero, else 0. For integers and bool. Its identity is 1.
struct LogicalAnd : detail::WithNumber<LogicalAnd, Operator::land, 1> {
    /// Combines two elements; `a` is the left operand.
    template <detail::IntegerOrBool T>
    constexpr T operator()(T a, T b) const {
        return static_cast<T>(a != 0 && b != 0);
    }
};

/// 1 if at least one is non-zero, else 0. For integers and bool. Its identity is 0.
struct LogicalOr : detail::WithNumber<LogicalOr, Operator::lor, 0> {
    /// Combines two elements; `a` is the left operand.
    template <detail::IntegerOrBool T>
    constexpr T operator()(T a, T b) const {
        return static_cast<T>(a != 0 || b != 0);
    }
};

/// 1 if exactly one is non-zero, else 0. For integers and bool. Its identity is 0.
struct LogicalXor : detail::WithNumber<LogicalXor, Operator::lxor, 0> {
    /// Combines two elements; `a` is the left operand.
    template <detail::IntegerOrBool T>
    constexpr T operator()(T a, T b) const {
        return static_cast<T>((a != 0) != (b != 0));
    }
};

/// a & b, for integers and any type that has the operator. Not for bool, which has `land`.
struct BitAnd : detail::WithCode<BitAnd, Operator::band> {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a & b); }
    constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(a & b); }
    /// The identity: all bits are 1.
    template <detail::Bits T>
    static constexpr T identity() {
        return static_cast<T>(~T{0});
    }
};

/// a | b, for integers and any type that has the operator. Not for bool, which has `lor`. Its identity is 0.
struct BitOr : detail::WithNumber<BitOr, Operator::bor, 0> {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a | b); }
    constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(a | b); }
};

/// a ^ b, for integers and any type that has the operator. Not for bool, which has `lxor`. Its identity is 0.
struct BitXor : detail::WithNumber<BitXor, Operator::bxor, 0> {
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a ^ b); }
    constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(a ^ b); }
};

inline constexpr Sum sum{};
inline constexpr Prod prod{};
inline constexpr Min min{};
inline constexpr Max max{};
inline constexpr LogicalAnd land{};
inline constexpr LogicalOr lor{};
inline constexpr LogicalXor lxor{};
inline constexpr BitAnd band{};
inline constexpr BitOr bor{};
inline constexpr BitXor bxor{};

/// The code of T. Integers are classified by size and signedness, whatever their name (long, long long, char,
/// wchar_t, ...). The types of the compiler for 16-bit numbers, such as std::bfloat16_t, have the codes of
/// the library's. The code is `other` for bool and for every type that is not an integer, float, double,
/// float16, bfloat16 or std::complex of float or double.
template <class T>
constexpr Type type_of() {
    if constexpr (detail::Integer<T> && sizeof(T) <= 8) {
        constexpr Type by_size[] = {Type::i8, Type::i16, Type::i32, Type::i64};
        constexpr std::size_t index = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return std::signed_integral<T> ? by_size[index]
                                       : static_cast<Type>(static_cast<std::uint8_t>(by_size[index]) + 1);
    } else if constexpr (std::same_as<T, float>) {
        return Type::f32;
    } else if constexpr (std::same_as<T, double>) {
        return Type::f64;
    } else if constexpr (detail::is_float16<T>) {
        return Type::f16;
    } else if constexpr (detail::is_bfloat16<T>) {
        return Type::bf16;
    } else if constexpr (std::same_as<T, std::complex<float>>) {
        return Type::complex64;
    } else if constexpr (std::same_as<T, std::complex<double>>) {
        return Type::complex128;
    } else {
        return Type::other;
    }
}

/// The code of an operator's type: its own for an operator of the library, else `callable`.
template <class Op>
constexpr Operator operator_of() {
    if constexpr (std::is_base_of_v<detail::BuiltIn<Op>, Op>) {
        return Op::code;
    } else {
        return Operator::callable;
    }
}

namespace detail {
/// The base of operators of the library's components.
struct Commutes {};
} // namespace detail

/// Wraps F, whose operands may be swapped (see commutative).
template <class F>
struct Commutative {
    /// The wrapped operator.
    F f;
    /// Combines two elements; `a` is the left operand.
    template <class T>
    requires std::is_invocable_r_v<T, const F&, const T&, const T&>
    constexpr T operator()(const T& a, const T& b) const { return f(a, b); }
    /// The identity of the wrapped operator.
    template <class T>
    requires HasIdentity<F, T>
    static constexpr T identity() { return detail::identity_of<F, T>(); }
};

/// Marks `f` as an operator that commutes, so that a call may name an algorithm that swaps operands. `f` must
/// be associative with or without this mark, because the association depends on the algorithm.
template <class F>
constexpr Commutative<F> commutative(F f) {
    return {std::move(f)};
}

/// Whether an operator of type Op commutes: one of the library, of the function objects of HasIdentity, one
/// wrapped by commutative, or one for which this variable is specialised. Exception: products of elements
/// that are no numbers, such as matrices, and min and max of them are not taken to commute. Otherwise in_0
/// stays left of in_1, and so on, and a call that names an algorithm which swaps operands throws
/// ArgumentError.
template <class Op>
inline constexpr bool is_commutative = operator_of<Op>() != Operator::callable
                                       || std::is_base_of_v<detail::Commutes, Op>;
template <class F>
inline constexpr bool is_commutative<Commutative<F>> = true;
template <template <class> class F, class T>
requires requires {
    typename detail::Counterpart<F>::type;
}
inline constexpr bool is_commutative<F<T>> = true;

namespace detail {

template <class Op, class T>
inline constexpr bool commutes = is_commutative<Op> &&
                                 (std::is_arithmetic_v<T> || type_of<T>() != Type::other ||
                                  !(std::same_as<Op, Prod> || std::same_as<Op, Min> ||
                                    std::same_as<Op, Max> || std::same_as<Op, std::multiplies<>> ||
                                    std::same_as<Op, std::multiplies<T>>));
template <class Op, class T>
inline constexpr bool combines_elements = std::is_invocable_r_v<T, const Op&, const T&, const T&>;
template <class T>
inline constexpr bool combines_elements<Operator, T> = type_of<T>() != Type::other;

/// Whether a copy of the bytes of a T is a copy of the object. The assignment of a std::pair is not trivial,
/// because its elements may be references.
template <class T>
inline constexpr bool is_copied_as_bytes = std::is_trivially_copyable_v<T>;
template <class A, class B>
inline constexpr bool is_copied_as_bytes<std::pair<A, B>> = is_copied_as_bytes<A>&& is_copied_as_bytes<B>;
template <class T, std::size_t N>
inline constexpr bool is_copied_as_bytes<std::array<T, N>> = is_copied_as_bytes<T>;

} // namespace detail

/// Whether Op can reduce elements of type T. T must be trivially copyable, or a std::pair or std::array of
/// such types, and assignable, because elements are copied between threads as bytes. Op must be a function
/// object (or a pointer to a function) that is callable as T(T, T) on a const object, because all members
/// call the same object at the same time; or Operator, for elements of a Type. The operators
/// of the library restrict their types themselves.
template <class Op, class T>
concept Applicable = std::is_object_v<Op> && detail::is_copied_as_bytes<T> && std::is_copy_assignable_v<T> &&
    std::is_copy_constructible_v<T> && detail::combines_elements<Op, T>;

} // namespace tutti::v0_1
