// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/counts.hpp>
#include <tutti/detail/functions.hpp>
#include <tutti/detail/held_addresses.hpp>
#include <tutti/operators.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace tutti::v0_1 {

template <class T>
class Shared;

} // namespace tutti::v0_1

namespace tutti::v0_1::detail {

template <>
struct Counterpart<std::plus> : std::type_identity<Sum> {};
template <>
struct Counterpart<std::multiplies> : std::type_identity<Prod> {};
template <>
struct Counterpart<std::logical_and> : std::type_identity<LogicalAnd> {};
template <>
struct Counterpart<std::logical_or> : std::type_identity<LogicalOr> {};
template <>
struct Counterpart<std::bit_and> : std::type_identity<BitAnd> {};
template <>
struct Counterpart<std::bit_or> : std::type_identity<BitOr> {};
template <>
struct Counterpart<std::bit_xor> : std::type_identity<BitXor> {};

/// Wrappers of other arguments, which must not be taken for an element.
template <class V>
inline constexpr bool is_wrapper = std::same_as<V, Counts> || std::same_as<V, Counts::View> ||
                                   std::same_as<V, CountsOnAll> || std::same_as<V, RootCounts>;
template <class T>
inline constexpr bool is_wrapper<Shared<T>> = true;

/// A type that refers to elements without containing them: a pointer, a smart pointer, an iterator, std::ref.
/// If it were taken for a single object, its address would be sent. Overload resolution accepts it so that
/// refuse_operand() can produce the error message.
template <class V>
concept Address = !std::ranges::range<V> && is_address<std::remove_cvref_t<V>>;

/// A buffer of elements: any contiguous range. refuse_element() checks that the elements can be sent.
template <class V>
concept Vector = std::ranges::contiguous_range<V> && std::ranges::sized_range<V>;

/// A view with several indices of elements in memory, such as std::mdspan with its usual accessor.
template <class V>
concept Mdspan = !std::ranges::range<V> && requires(const std::remove_cvref_t<V>& view) {
    requires std::is_pointer_v<std::remove_cvref_t<decltype(view.data_handle())>>;
    requires std::same_as<decltype(*view.data_handle()), typename std::remove_cvref_t<V>::reference>;
    { view.mapping().required_span_size() } -> std::integral;
    { view.mapping().is_exhaustive() } -> std::convertible_to<bool>;
};
/// The same with the names of Kokkos::View.
template <class V>
concept KokkosView = !std::ranges::range<V> && requires(const std::remove_cvref_t<V>& view) {
    requires std::is_pointer_v<std::remove_cvref_t<decltype(view.data())>>;
    { view.span() } -> std::integral;
    { view.span_is_contiguous() } -> std::convertible_to<bool>;
};
/// A view that is a buffer if its elements are contiguous, which is_strided() checks.
template <class V>
concept MultiView = Mdspan<V> || KokkosView<V>;

/// Whether an operand is a MultiView whose elements are not contiguous. The check costs nothing if the layout
/// is always contiguous.
template <class V>
bool is_strided(const V& operand) {
    if constexpr (Mdspan<V>) {
        return !operand.mapping().is_exhaustive();
    } else if constexpr (KokkosView<V>) {
        return !operand.span_is_contiguous();
    } else {
        return false;
    }
}

/// The elements of a MultiView, with the gaps between them if it is strided.
template <class V>
auto elements_of(const V& view) {
    if constexpr (Mdspan<V>) {
        return std::span(view.data_handle(), static_cast<std::size_t>(view.mapping().required_span_size()));
    } else {
        return std::span(view.data(), static_cast<std::size_t>(view.span()));
    }
}

/// A range that is not contiguous, such as std::list and std::vector<bool>. Overload resolution accepts it
/// for the same reason as an Address.
template <class V>
concept Scattered = std::ranges::range<V> && !Vector<V>;

/// A buffer whose element type is known only at run time (tutti/bindings.hpp).
template <class V>
inline constexpr bool is_dynamic = false;
template <class V>
concept Dynamic = is_dynamic<std::remove_cvref_t<V>>;

/// One single element.
template <class V>
concept Scalar =
    !std::ranges::range<V> && !Address<V> && !MultiView<V> && std::is_object_v<std::remove_cvref_t<V>> &&
    !is_wrapper<std::remove_cvref_t<V>> && !Dynamic<V>;

template <class V>
concept BufferArgument = Vector<V> || MultiView<V> || Scalar<V> || Dynamic<V> || Address<V> || Scattered<V>;

template <BufferArgument V>
auto view(V&& operand) {
    if constexpr (Dynamic<V>) {
        return std::remove_cvref_t<V>(operand);
    } else if constexpr (Vector<V>) {
        return std::span(std::ranges::data(operand), std::ranges::size(operand));
    } else if constexpr (MultiView<V>) {
        return elements_of(operand);
    } else if constexpr (Scalar<V>) {
        return std::span<std::remove_reference_t<V>>(&operand, 1);
    } else if constexpr (Scattered<V>) {
        return std::span<std::ranges::range_value_t<V>>();
    } else if constexpr (std::indirectly_readable<std::remove_cvref_t<V>>) {
        return std::span<std::iter_value_t<std::remove_cvref_t<V>>>();
    } else {
        return std::span<int>();
    }
}

/// An element type that can be copied as bytes.
template <class T>
concept Sendable = is_copied_as_bytes<T>;

template <class V>
using element_t = std::remove_cv_t<typename decltype(view(std::declval<V>()))::element_type>;

/// Overload resolution accepts two buffers with any elements; refuse_other_element() produces the error
/// message.
template <class In, class Out>
concept SameElement = Address<In> || Address<Out> || std::same_as<element_t<In>, element_t<Out>> ||
    ((Vector<In> || MultiView<In>)&&(Vector<Out> || MultiView<Out>));

/// An input buffer and an output buffer with the same element type.
template <class In, class Out>
concept Vectors = BufferArgument<In> && BufferArgument<Out> && SameElement<In, Out>;

/// Whether a type looks like an operator, for any element type.
template <class Op>
inline constexpr bool is_operator = operator_of<Op>() != Operator::callable
                                    || std::is_function_v<std::remove_pointer_t<Op>> || requires {
    &Op::operator();
};
template <class F>
inline constexpr bool is_operator<Commutative<F>> = true;
template <>
inline constexpr bool is_operator<Operator> = true;

/// Whether Op is a wrapper of another operator.
template <class Op>
inline constexpr bool is_wrapped = false;
template <class F>
inline constexpr bool is_wrapped<Commutative<F>> = true;

/// An operator that does not combine elements of type T. Overload resolution accepts it so that
/// refuse_operator_of() can produce the error message.
template <class Op, class T>
concept Misapplied = is_operator<Op> && !combines_elements<Op, T>;

template <class In, class Out, class Op>
concept Reduction = Vectors<In, Out> &&
    (Address<In> || Address<Out> || !Sendable<element_t<Out>> || Applicable<Op, element_t<Out>> ||
     (!Dynamic<Out> && Misapplied<Op, element_t<Out>>));

/// A range that could be meant as a single object as well, because it contains its elements (they are
/// constant if it is) and is copied as bytes, such as std::array.
template <class V>
concept RangeOrObject =
    Vector<V> && !std::is_array_v<V> && Sendable<V> && !std::ranges::borrowed_range<V> &&
    !holds_address<V>() &&
    !std::same_as<std::ranges::range_reference_t<V>, std::ranges::range_reference_t<const V>>;

/// A buffer that is read and written in place. A single object is passed by value if the call `returns` its
/// result; otherwise overload resolution accepts it so that in_place() can produce the error message.
template <class V, bool returns = true>
concept InPlace = BufferArgument<V> && !(returns && Scalar<V>);

template <class V, class Op, bool returns>
concept InPlaceReduction = InPlace<V, returns> && Reduction<V, V, Op>;

/// A single object, passed by value.
template <class T, class Op>
concept OneReduction = Scalar<T> && Reduction<T&, T&, Op>;

/// Produces the error message for elements of type T.
template <class T>
constexpr void refuse_element() {
    static_assert(Sendable<T>,
                  "the element type is not trivially copyable, but elements are copied as bytes: send the "
                  "contents, such as the characters of a std::string");
}

/// Produces the error message for an input of type In with an output of type Out.
template <class In, class Out>
constexpr void refuse_other_element() {
    static_assert(Address<In> || Address<Out> || std::same_as<element_t<In>, element_t<Out>>,
                  "the two buffers have different element types: pass buffers of the same element type");
}

/// Produces the error message for an Op that does not reduce to a buffer of type Out.
template <class Out, class Op>
constexpr void refuse_operator_of() {
    using T = element_t<Out>;
    static_assert(Address<Out> || !Sendable<T> || combines_elements<Op, T>,
                  "the operator is not callable as T(T, T) for the element type T: tutti::sum needs a +, "
                  "and bitwise operators such as tutti::band need integers");
}

/// Whether an operator is empty, or a wrapper of one that is.
template <class Op>
bool is_empty_operator(const Op& op) {
    if constexpr (is_wrapped<Op>) {
        return is_empty_operator(op.f);
    } else {
        return is_empty(op);
    }
}

/// Produces the error message for an exscan by value that has no result for member 0.
template <class T, class Op>
constexpr void refuse_unknown_identity() {
    static_assert(HasIdentity<Op, T> || !Sendable<T> || !combines_elements<Op, T>,
                  "the operator has no known identity, which would be the result of rank 0: pass an initial "
                  "value, as in exscan(x, op, init)");
}

/// Produces the error message for a V that is no buffer; V without const and reference, so that it appears
/// once.
template <class V>
constexpr void refuse_operand() {
    static_assert(!Address<V>, "a pointer has no number of elements: pass a range such as std::vector, or "
                               "std::span(pointer, count)");
    static_assert(!Scattered<V>, "the range is not contiguous: pass a contiguous range, such as "
                                 "std::vector<double>, or std::vector<char> instead of std::vector<bool>");
    static_assert(
        !Scalar<V> || !holds_address<V>(),
        "the object holds a pointer or reference, or has the data() of a view, so a call may send an "
        "address instead of the elements: pass std::span(pointer, count), or std::span(&object, 1) to "
        "send the object as it is");
    refuse_element<element_t<V>>();
}

/// Produces the error message for a temporary output; `Out` is an lvalue reference if the argument was an
/// lvalue.
template <class Out>
constexpr void refuse_lost_result() {
    refuse_operand<std::remove_cvref_t<Out>>();
    using T = typename decltype(view(std::declval<Out&>()))::element_type;
    static_assert(!std::is_const_v<T>,
                  "the elements are const, but the call writes them: pass a buffer of non-const elements");
    static_assert(
        Address<Out> || Scattered<Out> || std::is_lvalue_reference_v<Out> || Dynamic<Out> || MultiView<Out> ||
            std::ranges::borrowed_range<Out>,
        "what the call writes would be lost in a temporary: pass a buffer that has a name, or a view of one, "
        "such as std::span");
}

/// Produces the error message for a temporary input of a nonblocking call.
template <class In>
constexpr void refuse_short_lived() {
    refuse_operand<std::remove_cvref_t<In>>();
    static_assert(
        Address<In> || Scattered<In> || std::is_lvalue_reference_v<In> || Dynamic<In> || MultiView<In> ||
            std::ranges::borrowed_range<In>,
        "the temporary would be gone before it is read: pass a buffer that has a name, or a view of "
        "one, such as std::span");
}

/// The elements of `in` for a call to read. A single object that fits a cache line is copied, so that its
/// address does not escape and the program's loop can keep it in a register.
template <class In>
auto input(In& in) {
    constexpr std::size_t most_bytes = 64;
    refuse_operand<std::remove_cv_t<In>>();
    if constexpr (Scalar<In> && Sendable<In> && sizeof(In) <= most_bytes) {
        return std::array<std::remove_cv_t<In>, 1>{in};
    } else {
        return view(in);
    }
}

} // namespace tutti::v0_1::detail
