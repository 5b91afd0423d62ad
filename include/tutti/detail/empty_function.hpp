#pragma once

#include <tutti/detail/standard.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// A pointer, or an object that can be empty as a std::function can. A lambda can be compared with nullptr
/// too, but is never empty, and cannot be made from it.
template <class F>
concept Nullable =
    (std::is_pointer_v<F> || std::is_member_pointer_v<F> ||
     std::is_class_v<F>)&&std::is_constructible_v<F, std::nullptr_t>&& requires(const F& function) {
    { function == nullptr } -> std::convertible_to<bool>;
};

/// Whether there is nothing to call: a null pointer, an empty std::function, or the like.
template <class F>
bool is_empty(const F& function) {
    if constexpr (Nullable<F>) {
        return function == nullptr;
    } else {
        return false;
    }
}

} // namespace tutti::inline TUTTI_NAMESPACE::detail
