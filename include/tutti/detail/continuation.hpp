#pragma once

#include <tutti/detail/standard.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// A function that is to be called once with the failure of an operation, or none. Unlike in a std::function,
/// it may be move-only. Small trivially copyable functions, such as lambdas with three references, are kept
/// without an allocation.
class Continuation {
public:
    Continuation() = default;
    template <class Function>
    explicit Continuation(std::in_place_t /*unused*/, Function&& function)
        : use_(&use<std::decay_t<Function>>) {
        using Kept = std::decay_t<Function>;
        if constexpr (is_kept_here<Kept>) {
            ::new (static_cast<void*>(place_)) Kept(std::forward<Function>(function));
        } else {
            ::new (static_cast<void*>(place_)) Kept*(new Kept(std::forward<Function>(function)));
        }
    }
    Continuation(Continuation&& other) noexcept { swap(other); }
    Continuation& operator=(Continuation&& other) noexcept {
        Continuation taken(std::move(other));
        swap(taken);
        return *this;
    }
    Continuation(const Continuation&) = delete;
    Continuation& operator=(const Continuation&) = delete;
    ~Continuation() {
        if (use_ != nullptr) {
            use_(place_, nullptr);
        }
    }

    explicit operator bool() const noexcept { return use_ != nullptr; }
    void operator()(const std::exception_ptr& failure) { use_(place_, &failure); }

private:
    static constexpr std::size_t bytes = 3 * sizeof(void*);

    template <class Kept>
    static constexpr bool is_kept_here = std::is_trivially_copyable_v<Kept> && sizeof(Kept) <= bytes &&
                                         alignof(Kept) <= alignof(void*);

    /// Calls the function with *failure; destroys it if `failure` is null.
    template <class Kept>
    static void use(std::byte* place, const std::exception_ptr* failure) {
        if constexpr (is_kept_here<Kept>) {
            if (failure != nullptr) {
                (*std::launder(reinterpret_cast<Kept*>(place)))(std::exception_ptr(*failure));
            }
        } else {
            Kept* const kept = *std::launder(reinterpret_cast<Kept**>(place));
            if (failure != nullptr) {
                (*kept)(std::exception_ptr(*failure));
            } else {
                delete kept;
            }
        }
    }

    void swap(Continuation& other) noexcept {
        std::swap(place_, other.place_);
        std::swap(use_, other.use_);
    }

    /// The function, or a pointer to it.
    alignas(void*) std::byte place_[bytes] = {};
    void (*use_)(std::byte* place, const std::exception_ptr* failure) = nullptr;
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail
