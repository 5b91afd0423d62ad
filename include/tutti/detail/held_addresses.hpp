#pragma once

#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

namespace tutti::detail {

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

/// A type that shows where its elements are, but is no range.
template <class V>
concept ShowsElements =
    !std::ranges::range<V> &&
    (
        requires(const V& view) { requires std::is_pointer_v<std::remove_cvref_t<decltype(view.data())>>; } ||
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

/// Each initialises members of an aggregate: any member; any member but a non-const reference; only members
/// that refer to other objects.
struct AnyLvalue {
    template <class T>
    operator T&() const; // NOLINT(google-explicit-constructor)
};
struct AnyValue {
    template <class T>
    operator T() const; // NOLINT(google-explicit-constructor)
};
struct AnyAddress {
    template <class T>
    requires(refers<T>()) operator T() const; // NOLINT(google-explicit-constructor)
};

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
    if constexpr (!takes<V, AnyLvalue>(Before())) {
        return false; // there is no such member
    } else {
        return takes<V, AnyAddress>(Before()) || !takes<V, AnyValue>(Before());
    }
}

/// Whether an object of type V shows its elements elsewhere, or is an aggregate with a member that refers to
/// another object: a pointer, smart pointer, iterator, view, reference (not to const), or an aggregate with
/// such a member. It looks at the first 16 members, and at those of arrays one by one. Members of classes
/// that are not aggregates cannot be seen.
template <class V>
constexpr bool holds_address() {
    constexpr std::size_t most_members = 16;
    if constexpr (ShowsElements<V>) {
        return true;
    } else if constexpr (!std::is_class_v<V> || !std::is_aggregate_v<V> || sizeof(V) < sizeof(void*) ||
                         alignof(V) < alignof(void*)) {
        return false;
    } else {
        return []<std::size_t... number>(std::index_sequence<number...>) {
            return (member_refers<V, number>() || ...);
        }
        (std::make_index_sequence<most_members>());
    }
}

} // namespace tutti::detail
