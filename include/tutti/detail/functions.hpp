// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/standard.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti::v0_1::detail {

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

} // namespace tutti::v0_1::detail

namespace tutti::v0_1 {

class Member;

namespace detail {

/// A function that can be called with an M&.
template <class F, class M = Member>
concept MembersFunction = std::invocable<F&, M&>;

/// The result of such a function, as an object; or void.
template <class F, class M>
using ResultOf = std::decay_t<std::invoke_result_t<F&, M&>>;

/// Refers to an object that is called with an M&, or to none. The object must live until it has been called.
template <class M>
class FunctionOf {
public:
    /// Refers to `call`, which calls `function`; to nothing if `function` is empty.
    template <class F, class Call>
    FunctionOf(const F& function, const Call& call) : object_(std::addressof(call)) {
        if (!is_empty(function)) {
            call_ = [](const void* object, M& me) { (*static_cast<const Call*>(object))(me); };
        }
    }

    explicit operator bool() const { return call_ != nullptr; }
    void operator()(M& me) const { call_(object_, me); }

private:
    const void* object_;
    void (*call_)(const void*, M&) = nullptr;
};

using MemberFunction = FunctionOf<Member>;

/// The result of `function`, which run(FunctionOf<M>) calls once.
template <class M, class F, class Run>
auto result_of(F& function, Run run) {
    using Returned = ResultOf<F, M>;
    if constexpr (std::is_void_v<Returned>) {
        const auto call = [&](M& me) { std::invoke(function, me); };
        run(FunctionOf<M>(function, call));
    } else {
        std::optional<Returned> result;
        const auto call = [&](M& me) { result.emplace(std::invoke(function, me)); };
        run(FunctionOf<M>(function, call));
        return *std::move(result);
    }
}

/// The results of `function`, which run(FunctionOf<M>) calls for each of so many members, in the order of
/// rank_of(me).
template <class M, class F, class RankOf, class Run>
auto results_of(int members, F& function, RankOf rank_of, Run run) {
    using Returned = ResultOf<F, M>;
    if constexpr (std::is_void_v<Returned>) {
        result_of<M>(function, run);
    } else {
        std::vector<std::optional<Returned>> results(static_cast<std::size_t>(members));
        const auto call = [&](M& me) {
            results[static_cast<std::size_t>(rank_of(me))].emplace(std::invoke(function, me));
        };
        run(FunctionOf<M>(function, call));
        std::vector<Returned> all;
        all.reserve(results.size());
        for (std::optional<Returned>& result : results) {
            all.push_back(*std::move(result));
        }
        return all;
    }
}

} // namespace detail

} // namespace tutti::v0_1
