#pragma once

#include <tutti/counts.hpp>
#include <tutti/operators.hpp>

#include <concepts>
#include <ranges>
#include <span>
#include <type_traits>

namespace tutti {

template <class T>
class Shared;

} // namespace tutti

namespace tutti::detail {

/// What stands for other arguments, so that it is not taken for an element.
template <class V>
inline constexpr bool is_wrapper = std::same_as<V, Counts>;
template <class T>
inline constexpr bool is_wrapper<Shared<T>> = true;

template <class T>
concept Element = std::is_trivially_copyable_v<T> && !std::is_const_v<T>;

/// A vector of elements: any contiguous range, or one single element that is not itself a range.
template <class V>
concept Vector = std::ranges::contiguous_range<V> && std::ranges::sized_range<V> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<V>>;

template <class V>
concept Scalar =
    !std::ranges::range<V> && Element<std::remove_cvref_t<V>> && !is_wrapper<std::remove_cvref_t<V>>;

template <class V>
concept Operand = Vector<V> || Scalar<V>;

template <Operand V>
auto view(V&& operand) {
    if constexpr (Vector<V>) {
        return std::span(std::ranges::data(operand), std::ranges::size(operand));
    } else {
        return std::span<std::remove_reference_t<V>, 1>(&operand, 1);
    }
}

template <class V>
using element_t = std::remove_cv_t<typename decltype(view(std::declval<V>()))::element_type>;

template <class In, class Out>
concept SameElement = std::same_as<element_t<In>, element_t<Out>> &&
    !std::is_const_v<typename decltype(view(std::declval<Out>()))::element_type>;

/// One vector that is written.
template <class V>
concept Writable = Operand<V> && SameElement<V, V>;

/// A vector that is read and one of the same elements that is written.
template <class In, class Out>
concept Vectors = Operand<In> && Operand<Out> && SameElement<In, Out>;

template <class In, class Out, class Op>
concept Reduction = Vectors<In, Out> && Applicable<Op, element_t<Out>>;

} // namespace tutti::detail
