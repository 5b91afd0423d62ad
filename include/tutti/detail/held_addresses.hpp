// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/standard.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>

namespace tutti::v0_1::detail {

template <class V>
inline constexpr bool is_object_pointer = std::is_null_pointer_v<V> ||
                                          (std::is_pointer_v<V> &&
                                           !std::is_function_v<std::remove_pointer_t<V>>);
template <class V>
concept SmartPointer = requires(const V& pointer) {
    requires std::is_pointer_v<decltype(pointer.get())>;
};
template <class V>
inline constexpr bool is_reference_wrapper = false;
template <class T>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<T>> = true;
/// An iterator, or another pointer-like class. Classes like std::optional contain their elements.
template <class V>
concept PointerLike = std::indirectly_readable<V> && !requires(const V& optional) {
    optional.has_value();
};
template <class V>
inline constexpr bool is_address =
    is_object_pointer<V> || SmartPointer<V> || PointerLike<V> || is_reference_wrapper<V>;

/// A class that is no range and shows where elements are that need not lie in its objects: with
/// data_handle(), or with a data() that gives a const object the same pointer as any other. A class that
/// contains its elements gives a const object a pointer to const.
template <class V>
concept ShowsElements = !std::ranges::range<V> &&
                        (
                            requires(V & view, const V& constant) {
                                requires std::is_pointer_v<std::remove_cvref_t<decltype(constant.data())>>;
                                requires std::same_as<decltype(view.data()), decltype(constant.data())>;
                            } ||
                            requires(const V& view) { view.data_handle(); });

template <class V>
constexpr bool holds_address();

/// Whether an object of type V refers to other objects instead of containing them.
template <class V>
constexpr bool refers() {
    if constexpr (std::ranges::range<V>) {
        return std::ranges::borrowed_range<V>;
    } else {
        return is_address<V> || holds_address<V>();
    }
}

/// A union whose first member is initialised in its place, because GCC has no conversion to a union without a
/// name.
template <class T>
concept PlainUnion = std::is_union_v<T> && std::is_aggregate_v<T>;

/// Each initialises members of an aggregate: any member; any member but a non-const reference; only members
/// that refer to other objects; only members whose class has a constructor for anything. The conversions are
/// volatile, so that such a constructor is the better match and the initialisation is not ambiguous.
struct AnyLvalue {
    template <class T>
    requires(!PlainUnion<T>) operator T&() const volatile; // NOLINT(google-explicit-constructor)
};
struct AnyValue {
    template <class T>
    requires(!PlainUnion<T>) operator T() const volatile; // NOLINT(google-explicit-constructor)
};
struct AnyAddress {
    template <class T>
    requires(!PlainUnion<T> && refers<T>()) operator T() const
        volatile; // NOLINT(google-explicit-constructor)
};
struct Unconvertible {};

template <class V, class Last, std::size_t... before>
constexpr bool takes(std::index_sequence<before...> /*members before the last one*/) {
    return requires {
        V{(static_cast<void>(before), AnyLvalue{})..., Last{}};
    };
}

/// Whether the member of that number, from 0, refers to another object.
template <class V, std::size_t number>
constexpr bool member_refers() {
    using Before = std::make_index_sequence<number>;
    if constexpr (!takes<V, AnyLvalue>(Before()) || takes<V, Unconvertible>(Before())) {
        return false; // there is no such member, or its class takes everything
    } else {
        return takes<V, AnyAddress>(Before()) || !takes<V, AnyValue>(Before());
    }
}

/// Whether an object of type V holds an address. An aggregate does if a member refers to another object: a
/// pointer, smart pointer, iterator, view, reference (not to const), or an aggregate with such a member. The
/// data() of an aggregate does not matter. Another class does if it shows elements that need not lie in it.
///
/// It is a help, not a guarantee. It examines the first 16 members of an aggregate, each element of an array
/// as a member, and only the first member of a union. The members of other classes cannot be examined, nor
/// the members after one whose class can be constructed from anything.
template <class V>
constexpr bool holds_address() {
    constexpr std::size_t most_members = 16;
    if constexpr (sizeof(V) < sizeof(void*)) {
        return false;
    } else if constexpr (std::is_aggregate_v<V>) {
        return []<std::size_t... number>(std::index_sequence<number...>) {
            return (member_refers<V, number>() || ...);
        }
        (std::make_index_sequence<most_members>());
    } else {
        return ShowsElements<V> && alignof(V) >= alignof(void*);
    }
}

} // namespace tutti::v0_1::detail
