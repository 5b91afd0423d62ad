#pragma once

#include <tutti/detail/accumulating_loops.hpp>
#include <tutti/detail/buffers.hpp>
#include <tutti/detail/scaled_sums.hpp>
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
///
/// If the elements of the output have the type R of the accumulator of an input element, such as doubles for
/// sum_in<double> of floats, each member first converts its input: by a cast if lift() is a template that
/// also takes an R. If lift() takes no R, not even after a conversion, as `double
/// lift(std::same_as<float> auto x) const`, it converts the input, and the operator needs no lower(). Other
/// operators do not compile with such buffers. The results are those of a call whose inputs are the converted
/// elements. The input must overlap neither the output nor a buffer of another member. The call needs the
/// memory of one more input per member, which nonblocking calls keep for later ones, and takes the time of
/// that call and of the conversion.
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

/// The sum of the operands, each multiplied by `before` first, and the sum multiplied by `after`: see
/// scaled_sum.
template <class A>
requires(detail::Fractional<A> && !detail::Half<A>) struct ScaledSum {
    /// The factor of each operand.
    A before;
    /// The factor of the sum.
    A after;
    /// Widens and scales one element.
    template <class T>
    requires std::convertible_to<T, A>
    constexpr A lift(const T& element) const { return Prod{}(before, static_cast<A>(element)); }
    /// Adds two accumulators.
    constexpr A operator()(const A& a, const A& b) const { return a + b; }
    /// Scales the sum.
    template <class T>
    requires detail::Fractional<T>
    constexpr T lower(const A& total, int /*operands*/) const { return static_cast<T>(Prod{}(total, after)); }
};

/// An operator for sums with factors, in the type of the factors: after * (before * in_0 + before * in_1 +
/// ...). All members must pass the same factors. A product with a factor that is a power of two is exact.
template <class A>
constexpr ScaledSum<A> scaled_sum(A before, A after = A(1)) {
    return {before, after};
}

namespace detail {

template <>
inline constexpr bool is_operator<Mean> = true;

/// The factors that the compiled kernels take in place of an operator with real ones.
inline constexpr Scale scale_of(const Mean& /*op*/) {
    return {.is_mean = true};
}
template <class A>
constexpr Scale scale_of(const MeanIn<A>& /*op*/) {
    return {.is_mean = true};
}
template <std::floating_point A>
constexpr Scale scale_of(const ScaledSum<A>& op) {
    return {static_cast<double>(op.before), static_cast<double>(op.after)};
}

/// Operators on float, double, complex numbers of these, or numbers of 16 bits that are summed in float.
template <class Op, class T>
concept ScalesSums = AccumulatesElements<Op, T> && type_of<T>()
!= Type::other&& std::same_as<Accumulator<Op, T>, Accumulator<Mean, T>>&& requires(const Op& op) {
    scale_of(op);
};

/// Their loops: the compiled kernels.
template <class T, class Op>
struct ScalingLoops {
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        const Scale scale = scale_in(state);
        of_lanes().reduce(&scale, out, a, b, count * lanes);
    }
    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association, StoreHints stores) {
        const Scale scale = scale_in(state);
        of_lanes().reduce_many(&scale, outs, outs_count, ins, ins_count, count * lanes, association, stores);
    }
    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association, StoreHints stores) {
        const Scale scale = scale_in(state);
        of_lanes().scan_many(&scale, outs, ins, members, count * lanes, exclusive, association, stores);
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many, nullptr};

private:
    using Lane = typename RealOf<T>::type;
    static constexpr std::size_t lanes = std::same_as<T, Lane> ? 1 : 2;
    static const Kernels& of_lanes() { return scaled_sums<type_of<Lane>()>(); }
    static Scale scale_in(const void* state) { return scale_of(*static_cast<const Op*>(state)); }
};

template <class T, class Op>
requires ScalesSums<Op, T>
struct LoopsOf<T, Op> : std::type_identity<ScalingLoops<T, Op>> {
};

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
