#pragma once

#include <tutti/detail/standard.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tutti {

/// Element types that have compiled kernels. c32 is std::complex<float>, c64 std::complex<double>; everything
/// else (user structs, enumerations, bool, long double, ...) is `other` and is reduced by template loops.
enum class Type : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, c32, c64, other };

/// The operators the library knows by name; any other function object is `callable`.
enum class Operator : std::uint8_t { sum, prod, min, max, land, lor, lxor, band, bor, bxor, callable };

/// Short lower-case name, e.g. "f32".
constexpr std::string_view to_string(Type type) {
    constexpr std::string_view names[] = {"i8",  "u8",  "i16", "u16", "i32", "u32",  "i64",
                                          "u64", "f32", "f64", "c32", "c64", "other"};
    return names[static_cast<std::size_t>(type)];
}

/// Short lower-case name, e.g. "sum".
constexpr std::string_view to_string(Operator op) {
    constexpr std::string_view names[] = {"sum",  "prod", "min", "max",  "land",    "lor",
                                          "lxor", "band", "bor", "bxor", "callable"};
    return names[static_cast<std::size_t>(op)];
}

namespace detail {

/// Of `type`, which is not `other`.
constexpr std::size_t bytes_of(Type type) {
    constexpr std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
    return bytes[static_cast<std::size_t>(type)];
}

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

/// Integers that take part in arithmetic: all standard integer and character types, but not bool.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

/// Unsigned type of at least int's width in which integer sums and products of T are formed: overflow wraps,
/// and small types are not promoted to a signed int that could overflow.
template <Integer T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

} // namespace detail

/// A value and the place where it is, such as a rank or an index: the elements of minloc and maxloc. Compare
/// them with ==, not as bytes: there may be padding between the two.
template <class T>
struct ValueAt {
    /// What is compared.
    T value;
    /// Where it is.
    std::int64_t at;
    /// Both are equal.
    friend constexpr bool operator==(const ValueAt&, const ValueAt&) = default;
};

namespace detail {

template <class T>
constexpr bool is_nan(const T& value) {
    if constexpr (std::floating_point<T>) {
        return value != value;
    } else {
        return false;
    }
}

/// Whether `a` is to be kept rather than `b`: a NaN rather than a number, a value that is `better`, else the
/// lower place. A strict weak order, which is what makes the choice exact and independent of the order.
template <class T, class Better>
constexpr bool wins(const ValueAt<T>& a, const ValueAt<T>& b, const Better& better) {
    if (is_nan(a.value) != is_nan(b.value)) {
        return is_nan(a.value);
    }
    if (better(a.value, b.value) != better(b.value, a.value)) {
        return better(a.value, b.value);
    }
    return a.at < b.at;
}

} // namespace detail

/// a + b. Integers wrap modulo 2^bits. Of two NaNs that meet in a collective the left one's payload stays, in
/// numbers of type float and double and in their complex ones. RISC-V processors keep no payload: there the
/// result is the canonical NaN. Not for bool.
struct Sum {
    /// Its name at run time.
    static constexpr Operator code = Operator::sum;
    /// Of two elements, `a` on the left.
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
/// recovery of infinities that std::complex adds. NaNs as for Sum. Not for bool.
struct Prod {
    /// Its name at run time.
    static constexpr Operator code = Operator::prod;
    /// Of two elements, `a` on the left.
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

/// `b < a ? b : a`. Where neither is less (equal values, -0 and +0, a NaN on either side) the left operand
/// stays. Not for complex numbers and bool.
struct Min {
    /// Its name at run time.
    static constexpr Operator code = Operator::min;
    /// Of two elements, `a` on the left.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<bool>(b < a); }
    constexpr T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};

/// `a < b ? b : a`. Where neither is less (equal values, -0 and +0, a NaN on either side) the left operand
/// stays. Not for complex numbers and bool.
struct Max {
    /// Its name at run time.
    static constexpr Operator code = Operator::max;
    /// Of two elements, `a` on the left.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<bool>(a < b); }
    constexpr T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};

/// 1 where both are non-zero, else 0. For integers and bool.
struct LogicalAnd {
    /// Its name at run time.
    static constexpr Operator code = Operator::land;
    /// Of two elements, `a` on the left.
    template <std::integral T>
    constexpr T operator()(T a, T b) const {
        return static_cast<T>(a != 0 && b != 0);
    }
};

/// 1 where at least one is non-zero, else 0. For integers and bool.
struct LogicalOr {
    /// Its name at run time.
    static constexpr Operator code = Operator::lor;
    /// Of two elements, `a` on the left.
    template <std::integral T>
    constexpr T operator()(T a, T b) const {
        return static_cast<T>(a != 0 || b != 0);
    }
};

/// 1 where exactly one is non-zero, else 0. For integers and bool.
struct LogicalXor {
    /// Its name at run time.
    static constexpr Operator code = Operator::lxor;
    /// Of two elements, `a` on the left.
    template <std::integral T>
    constexpr T operator()(T a, T b) const {
        return static_cast<T>((a != 0) != (b != 0));
    }
};

/// a & b, for integers and any type that has it. Not for bool, which has `land`.
struct BitAnd {
    /// Its name at run time.
    static constexpr Operator code = Operator::band;
    /// Of two elements, `a` on the left.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a & b); }
    constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(a & b); }
};

/// a | b, for integers and any type that has it. Not for bool, which has `lor`.
struct BitOr {
    /// Its name at run time.
    static constexpr Operator code = Operator::bor;
    /// Of two elements, `a` on the left.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a | b); }
    constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(a | b); }
};

/// a ^ b, for integers and any type that has it. Not for bool, which has `lxor`.
struct BitXor {
    /// Its name at run time.
    static constexpr Operator code = Operator::bxor;
    /// Of two elements, `a` on the left.
    template <class T>
    requires(!std::same_as<T, bool>) && requires(const T& a, const T& b) { static_cast<T>(a ^ b); }
    constexpr T operator()(const T& a, const T& b) const { return static_cast<T>(a ^ b); }
};

/// The least value and where it is; of equal values (-0 and +0 are) the one at the lowest place. A NaN is
/// taken before any number, so that it shows; of several, the one at the lowest place. With that, and with
/// places that tell the operands apart, the result is the same in whatever order they are combined. Values
/// of other types than numbers need a < that is a strict weak order.
struct MinLoc {
    /// Of two elements, `a` on the left.
    template <class T>
    requires requires(const T& a, const T& b) { static_cast<bool>(a < b); }
    constexpr ValueAt<T> operator()(const ValueAt<T>& a, const ValueAt<T>& b) const {
        return detail::wins(b, a, [](const T& x, const T& y) { return x < y; }) ? b : a;
    }
};

/// The greatest value and where it is; equal values, NaN and order as for MinLoc.
struct MaxLoc {
    /// Of two elements, `a` on the left.
    template <class T>
    requires requires(const T& a, const T& b) { static_cast<bool>(a < b); }
    constexpr ValueAt<T> operator()(const ValueAt<T>& a, const ValueAt<T>& b) const {
        return detail::wins(b, a, [](const T& x, const T& y) { return y < x; }) ? b : a;
    }
};

/// The left operand: of members 0 .. p-1, member 0's. Does not commute.
struct First {
    /// Of two elements, `a` on the left.
    template <class T>
    constexpr T operator()(const T& a, const T& /*b*/) const {
        return a;
    }
};

/// The right operand: of members 0 .. p-1, member p-1's. Does not commute.
struct Last {
    /// Of two elements, `a` on the left.
    template <class T>
    constexpr T operator()(const T& /*a*/, const T& b) const {
        return b;
    }
};

/// F, but operands are combined in rank order (see non_commutative).
template <class F>
struct NonCommutative {
    /// The operator that is wrapped.
    F f;
    /// Of two elements, `a` on the left.
    template <class T>
    requires std::is_invocable_r_v<T, const F&, const T&, const T&>
    constexpr T operator()(const T& a, const T& b) const { return f(a, b); }
};

/// `f` for which the order of operands matters: whatever the algorithm, in_0 stays left of in_1, and so on.
/// It must still be associative, since how they are associated is up to the algorithm.
template <class F>
constexpr NonCommutative<F> non_commutative(F f) {
    return {std::move(f)};
}

/// F, which combines vectors instead of elements (see vector_op).
template <class F>
struct VectorOp {
    /// The function that is wrapped.
    F f;
};

/// An operator that combines vectors, as user functions of MPI do: f(left, inout), with `left` a
/// std::span<const T> and `inout` a std::span<T> of as many elements, leaves left[i] op inout[i] in inout[i].
/// It is called for one piece of the members' vectors after the other, of any length but 0, so that it can
/// have loops of its own. It must be associative; operands come in rank order (is_commutative says whether
/// they need to).
template <class F>
constexpr VectorOp<F> vector_op(F f) {
    return {std::move(f)};
}

/// Whether the library may swap the operands of an operator of type Op. As in MPI a callable is taken to
/// commute unless it says otherwise: by non_commutative, or by a specialisation of this variable. One that
/// combines vectors is not.
template <class Op>
inline constexpr bool is_commutative = true;
template <>
inline constexpr bool is_commutative<First> = false;
template <>
inline constexpr bool is_commutative<Last> = false;
template <class F>
inline constexpr bool is_commutative<NonCommutative<F>> = false;
template <class F>
inline constexpr bool is_commutative<VectorOp<F>> = false;

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
inline constexpr MinLoc minloc{};
inline constexpr MaxLoc maxloc{};
inline constexpr First first{};
inline constexpr Last last{};

/// The code of T: integers by size and signedness whatever their name (long, long long, char, wchar_t, ...),
/// `other` for bool and everything that is not an integer, float, double or std::complex of those two.
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
    } else if constexpr (std::same_as<T, std::complex<float>>) {
        return Type::c32;
    } else if constexpr (std::same_as<T, std::complex<double>>) {
        return Type::c64;
    } else {
        return Type::other;
    }
}

/// The code of a function object's type: a named operator for the library's own, else `callable`.
template <class Op>
constexpr Operator operator_of() {
    constexpr auto is_one_of = []<class... Named>(std::type_identity<Named>...) {
        return (std::same_as<Op, Named> || ...);
    };
    if constexpr (is_one_of(std::type_identity<Sum>{}, std::type_identity<Prod>{}, std::type_identity<Min>{},
                            std::type_identity<Max>{}, std::type_identity<LogicalAnd>{},
                            std::type_identity<LogicalOr>{}, std::type_identity<LogicalXor>{},
                            std::type_identity<BitAnd>{}, std::type_identity<BitOr>{},
                            std::type_identity<BitXor>{})) {
        return Op::code;
    } else {
        return Operator::callable;
    }
}

namespace detail {

template <class Op, class T>
inline constexpr bool combines_elements = std::is_invocable_r_v<T, const Op&, const T&, const T&>;
template <class F, class T>
inline constexpr bool combines_elements<VectorOp<F>, T> =
    std::is_invocable_v<const F&, std::span<const T>, std::span<T>>;

} // namespace detail

/// Op can reduce elements of type T. T is trivially copyable and assignable (elements are copied between
/// threads as bytes). Op is a function object (for a function, its pointer) with T(T, T) callable on a const
/// object, because all members call the same one at the same time; or one of vectors, see vector_op. The
/// library's own operators say for
/// themselves which types they take.
template <class Op, class T>
concept Applicable = std::is_object_v<Op> && std::is_trivially_copyable_v<T> &&
    std::is_copy_assignable_v<T> && std::is_copy_constructible_v<T> && detail::combines_elements<Op, T>;

} // namespace tutti
