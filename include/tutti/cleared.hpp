#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/dynamic.hpp>
#include <tutti/error.hpp>
#include <tutti/operators.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE {

/// The input of a reduction that is zero after the call. Made by cleared().
template <class View>
class Cleared : public View {
public:
    /// Internal: use cleared().
    explicit constexpr Cleared(const View& view) : View(view) {}
};

namespace detail {

template <class View>
inline constexpr bool is_dynamic<Cleared<View>> = is_dynamic<View>;

/// Whether the bytes of T{} are known to be 0: of numbers, and of what has no values of its own.
template <class T>
inline constexpr bool is_zero_in_bytes = std::is_trivially_default_constructible_v<T> || Numeric<T>;
template <class A, class B>
inline constexpr bool is_zero_in_bytes<std::pair<A, B>> = is_zero_in_bytes<A>&& is_zero_in_bytes<B>;
template <class T, std::size_t N>
inline constexpr bool is_zero_in_bytes<std::array<T, N>> = is_zero_in_bytes<T>;

} // namespace detail

/// Marks `in`, the input of a reduction with two buffers, to be cleared: when the call is complete, all of
/// its bytes are 0, as after a std::fill with 0 that follows the call.
///
///     me.allreduce(tutti::cleared(forces), total, tutti::sum); // `forces` is ready to be added to again
///
/// Each member clears its own input, when nobody reads it any more, past the caches if the buffers exceed
/// them. So members may differ in whether they clear. If the call of a member throws, its input is unchanged;
/// but if a call of an AsyncGroup, or of one caller, throws, the inputs may be cleared in part. The operands
/// of all collectives that reduce can be cleared, in all ways of calling. But reproducible_sum() and its
/// like, ordered_reduce() and reduce_local() do not clear their terms. For one caller, `inputs` is a range of
/// cleared buffers: inputs | std::views::transform([](auto& in) { return tutti::cleared(in); }).
///
/// `in` must overlap no output and no buffer of another member, unlike other inputs. Bytes of 0 must be T{}
/// for the type T of the elements: T must be a number, a trivially default constructible type, or a std::pair
/// or std::array of such types. Throws ArgumentError if `in` is a strided view; the call throws it if it does
/// not reduce.
template <detail::BufferArgument In>
auto cleared(In&& in) {
    detail::refuse_lost_result<In>();
    static_assert(
        detail::is_zero_in_bytes<detail::element_t<In&>>,
        "the elements have a default value, which bytes of 0 may not be: clear them after the call");
    if (detail::is_strided(in)) {
        throw ArgumentError("cleared: `in` is a strided view: pass one whose elements are contiguous");
    }
    return Cleared(detail::view(in));
}

} // namespace tutti::inline TUTTI_NAMESPACE
