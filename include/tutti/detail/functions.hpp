#pragma once

#include <tutti/detail/standard.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
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

namespace tutti::inline TUTTI_NAMESPACE {

class Member;

namespace detail {

/// A function that can be called with a Member&.
template <class F>
concept MembersFunction = std::invocable<F&, Member&>;

/// The result of such a function, as an object; or void.
template <class F>
using ResultOf = std::decay_t<std::invoke_result_t<F&, Member&>>;

/// Refers to an object that is called as a member, or to none. The object must live until it has been called.
class MemberFunction {
public:
    /// Refers to `call`, which calls `function`; to nothing if `function` is empty.
    template <class F, class Call>
    MemberFunction(const F& function, const Call& call) : object_(std::addressof(call)) {
        if (!is_empty(function)) {
            call_ = [](const void* object, Member& me) { (*static_cast<const Call*>(object))(me); };
        }
    }

    explicit operator bool() const { return call_ != nullptr; }
    void operator()(Member& me) const { call_(object_, me); }

private:
    const void* object_;
    void (*call_)(const void*, Member&) = nullptr;
};

} // namespace detail

} // namespace tutti::inline TUTTI_NAMESPACE
