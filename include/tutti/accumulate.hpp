#pragma once

#include <tutti/detail/accumulating_loops.hpp>
#include <tutti/detail/buffers.hpp>
#include <tutti/operators.hpp>

#include <complex>
#include <concepts>
#include <type_traits>

namespace tutti::inline TUTTI_NAMESPACE {

namespace detail {

/// The real numbers of A.
template <class A>
struct RealOf : std::type_identity<A> {};
template <class R>
struct RealOf<std::complex<R>> : std::type_identity<R> {};

/// Numbers that have fractions.
template <class T>
concept Fractional = Numeric<T> && !Integer<T>;

} // namespace detail

/// An operator that accumulates elements of type T in another type, or does something before the first
/// combination or after the last (lift, combine, lower: Tangwongsan, Hirzel, Schneider and Wu 2015, section
/// 3):
///
/// - `op.lift(x)` makes an accumulator of one element
/// - `op(a, b)` combines two accumulators; `a` is the left one. It must be associative
/// - `op.template lower<T>(a, operands)` makes the result of an accumulator, for so many operands
///
/// All operands of a result are combined in one pass over the inputs of all members, and the result is
/// lowered once. The call therefore uses an algorithm that combines no partial results; a call that names
/// another one throws ArgumentError, as does a call of a cluster. The functions are const, because all
/// members call the same object at the same time. A member that computes a part of the result uses its own
/// object for the operands of all members, so all members must pass equal objects.
///
/// Accumulators are trivially copyable. They live on the stack of the thread that combines.
template <class Op, class T>
concept Accumulates = detail::AccumulatesElements<Op, T>;

/// The sum in the type A, converted to the type of the elements once, at the end: for example of
/// floats in double. Integers wrap in A. The sum of elements of type A is that of tutti::sum.
template <class A>
requires(detail::Numeric<A> && !detail::Half<A>) struct SumIn {
    /// Widens one element.
    template <class T>
    requires(std::convertible_to<T, A> && !std::same_as<T, bool>) constexpr A lift(const T& element) const {
        return static_cast<A>(element);
    }
    /// Adds two accumulators.
    constexpr A operator()(const A& a, const A& b) const { return Sum{}(a, b); }
    /// Rounds the sum to an element.
    template <class T>
    requires detail::Numeric<T>
    constexpr T lower(const A& total, int /*operands*/) const { return static_cast<T>(total); }
};

/// The mean of all operands, for floating-point and complex elements: their sum in the type A, divided by the
/// number of operands and converted to the type of the elements. The number of operands is that of the group
/// for reductions, and r + 1 for a scan's result on member r.
template <class A>
requires(detail::Fractional<A> && !detail::Half<A>) struct MeanIn {
    /// Widens one element.
    template <class T>
    requires std::convertible_to<T, A>
    constexpr A lift(const T& element) const { return static_cast<A>(element); }
    /// Adds two accumulators.
    constexpr A operator()(const A& a, const A& b) const { return a + b; }
    /// Divides.
    template <class T>
    requires detail::Fractional<T>
    constexpr T lower(const A& total, int operands) const {
        return static_cast<T>(total / static_cast<typename detail::RealOf<A>::type>(operands));
    }
};

/// MeanIn of the type of the elements, or of float for numbers of 16 bits.
struct Mean {
    /// An element is its own accumulator, except one of 16 bits.
    template <detail::Fractional T>
    constexpr auto lift(const T& element) const {
        return static_cast<std::conditional_t<detail::Half<T>, float, T>>(element);
    }
    /// Adds two accumulators.
    template <detail::Fractional A>
    constexpr A operator()(const A& a, const A& b) const {
        return static_cast<A>(a + b);
    }
    /// Divides.
    template <detail::Fractional T, class A>
    constexpr T lower(const A& total, int operands) const {
        return MeanIn<A>{}.template lower<T>(total, operands);
    }
};

namespace detail {

template <>
inline constexpr bool is_operator<Mean> = true;

/// For elements that are their own accumulators it is the plain sum.
template <class A>
struct WithIdentity<SumIn<A>, A> : std::type_identity<Sum> {};

} // namespace detail

template <class A>
inline constexpr SumIn<A> sum_in{};
template <class A>
inline constexpr MeanIn<A> mean_in{};
inline constexpr Mean mean{};

} // namespace tutti::inline TUTTI_NAMESPACE
