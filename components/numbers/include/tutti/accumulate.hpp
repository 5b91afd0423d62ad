// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/buffers.hpp>
#include <tutti/detail/template_loops.hpp>
#include <tutti/operators.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace tutti::v0_1 {

namespace detail {

/// The type in which Op accumulates elements of type T.
template <class Op, class T>
using Accumulator = std::remove_cvref_t<decltype(std::declval<const Op&>().lift(std::declval<const T&>()))>;

/// See Accumulates in tutti/accumulate.hpp.
template <class Op, class T>
concept AccumulatesElements = requires(const Op& op, const T& element, const Accumulator<Op, T>& partial) {
    { op(partial, partial) } -> std::convertible_to<Accumulator<Op, T>>;
    { op.template lower<T>(partial, 1) } -> std::convertible_to<T>;
}
&&std::is_trivially_copyable_v<Accumulator<Op, T>>&& std::is_trivially_copyable_v<T>;

/// An operator that lifts elements of this type must not be taken for one that combines them as they are.
template <class Op, class T>
requires requires(const Op& op, const T& element) {
    op.lift(element);
}
inline constexpr bool combines_elements<Op, T> = AccumulatesElements<Op, T>;

/// Calls f(i) for every i < length, in inner loops of a constant length, which compilers vectorise with -O2
/// as well.
template <std::size_t block, class F>
void in_blocks(std::size_t length, F f) {
    std::size_t i = 0;
    for (; i + block <= length; i += block) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
        for (std::size_t j = 0; j < block; ++j) {
            f(i + j);
        }
    }
    for (; i < length; ++i) {
        f(i);
    }
}

/// The loops of an operator that accumulates. All operands of a result must come in one call, in which they
/// are lifted, combined as requested and lowered, part by part in the nearest cache. Without a fold, because
/// a node of the fixed tree is a partial result.
template <class T, class Op>
struct AccumulatingLoops {
    using A = Accumulator<Op, T>;

    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        const void* const ins[] = {a, b};
        reduce_many(state, &out, 1, ins, 2, count, Association::left, {});
    }

    /// Uses ordinary stores and ignores `stores`, because the operator is the limit here, not the memory.
    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            StoreHints /*stores*/) {
        for (std::size_t begin = 0; begin < count; begin += part_length) {
            const std::size_t length = std::min(part_length, count - begin);
            T* const first = static_cast<T*>(outs[0]) + begin;
            combine(*static_cast<const Op*>(state), first, {ins, begin, length, association}, ins_count);
            for (int destination = 1; destination < outs_count; ++destination) {
                std::memcpy(static_cast<T*>(outs[destination]) + begin, first, length * sizeof(T));
            }
        }
    }

    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association, StoreHints /*stores*/) {
        const Op& op = *static_cast<const Op*>(state);
        const int prefixes = exclusive ? members - 1 : members;
        void* const* const results = exclusive ? outs + 1 : outs;
        PartialResults<A> partial(partial_results(prefixes, association));
        for (std::size_t i = 0; prefixes != 0 && i < count; ++i) {
            A prefix = op.lift(static_cast<const T*>(ins[0])[i]);
            partial.keep(0, prefix);
            for (int member = 1; member < prefixes; ++member) {
                // In place and exclusive, the last prefix overwrites this operand, so the operand is read
                // first.
                const A operand = op.lift(static_cast<const T*>(ins[member])[i]);
                static_cast<T*>(results[member - 1])[i] =
                    static_cast<T>(op.template lower<T>(prefix, member));
                prefix = operand;
                const auto combine = [&](int place) { prefix = static_cast<A>(op(partial[place], prefix)); };
                const Merges merges(member, association);
                partial.keep(merges.of_kept(combine), prefix);
                merges.of_rest(combine);
            }
            static_cast<T*>(results[prefixes - 1])[i] =
                static_cast<T>(op.template lower<T>(prefix, prefixes));
        }
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many, nullptr};

private:
    static constexpr std::size_t part_bytes = 1024;
    static constexpr std::size_t part_length =
        std::max<std::size_t>(1, part_bytes / std::max(sizeof(T), sizeof(A)));
    static constexpr std::size_t block = std::max<std::size_t>(1, 64 / std::max(sizeof(T), sizeof(A)));

    /// Accumulators that stay in the nearest cache and may lack a default constructor.
    struct Part {
        operator A*() { return reinterpret_cast<A*>(bytes); }

        alignas(A) std::byte bytes[part_length * sizeof(A)];
    };
    /// Elements `begin` to `begin` + `length` - 1 of the inputs.
    struct Operands {
        const T* of(int source) const { return static_cast<const T*>(ins[source]) + begin; }

        const void* const* ins;
        std::size_t begin;
        std::size_t length;
        Association association;
    };

    /// out = the result of all operands. Its last combination is lowered at once, so that two operands need
    /// no room. `out` may be an operand, because each element is stored when all its operands have been read.
    static void combine(const Op& op, T* out, const Operands& operands, int count) {
        const auto lower = [&](const A& all) { return static_cast<T>(op.template lower<T>(all, count)); };
        const T* const one = operands.of(0);
        if (count == 1) {
            return in_blocks<block>(operands.length, [&](std::size_t i) { out[i] = lower(op.lift(one[i])); });
        }
        const int middle = middle_of(operands, 0, count);
        const T* const last = operands.of(count - 1);
        if (count == 2) {
            return in_blocks<block>(operands.length, [&](std::size_t i) {
                out[i] = lower(op(op.lift(one[i]), op.lift(last[i])));
            });
        }
        Part left;
        accumulate(op, left, operands, 0, middle);
        if (middle == count - 1) {
            return in_blocks<block>(operands.length,
                                    [&](std::size_t i) { out[i] = lower(op(left[i], op.lift(last[i]))); });
        }
        Part right;
        accumulate(op, right, operands, middle, count);
        in_blocks<block>(operands.length, [&](std::size_t i) { out[i] = lower(op(left[i], right[i])); });
    }

    /// The first operand of the right part of [first, end).
    static int middle_of(const Operands& operands, int first, int end) {
        return operands.association == Association::tree ? first + left_part(end - first) : end - 1;
    }

    /// sums = the combination of the operands [first, end).
    static void accumulate(const Op& op, A* sums, const Operands& operands, int first, int end) {
        constexpr int same_in_both = 3; // a tree of so many is a loop
        if (operands.association == Association::tree && end - first > same_in_both) {
            const int middle = middle_of(operands, first, end);
            accumulate(op, sums, operands, first, middle);
            Part right;
            accumulate(op, right, operands, middle, end);
            return in_blocks<block>(operands.length,
                                    [&](std::size_t i) { sums[i] = static_cast<A>(op(sums[i], right[i])); });
        }
        const T* next = operands.of(first);
        in_blocks<block>(operands.length, [&](std::size_t i) { sums[i] = op.lift(next[i]); });
        for (int source = first + 1; source < end; ++source) {
            next = operands.of(source);
            in_blocks<block>(operands.length,
                             [&](std::size_t i) { sums[i] = static_cast<A>(op(sums[i], op.lift(next[i]))); });
        }
    }
};

template <class T, class Op>
requires AccumulatesElements<Op, T>
struct LoopsOf<T, Op> : std::type_identity<AccumulatingLoops<T, Op>> {
};

template <class T, class Op>
requires AccumulatesElements<Op, T>
inline constexpr bool is_one_pass<T, Op> = true;

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
template <class Op, class T>
concept Accumulates = detail::AccumulatesElements<Op, T>;

/// The sum in the type A, converted to the type of the elements once, at the end: for example of
/// floats in double. Integers wrap in A. The sum of elements of type A is that of tutti::sum.
template <class A>
requires(detail::Numeric<A> && !detail::Half<A>) struct SumIn : detail::Commutes {
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
requires(detail::Fractional<A> && !detail::Half<A>) struct MeanIn : SumIn<A> {
    /// Divides.
    template <class T>
    requires detail::Fractional<T>
    constexpr T lower(const A& total, int operands) const {
        return static_cast<T>(total /
                              static_cast<decltype(std::abs(total))>(operands)); // of a complex A: real
    }
};

/// MeanIn of the type of the elements, or of float for numbers of 16 bits.
struct Mean : detail::Commutes {
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

namespace detail {

template <>
inline constexpr bool is_operator<Mean> = true;

/// For elements that are their own accumulators it is the plain sum.
template <class A>
struct WithIdentity<SumIn<A>, A> : std::type_identity<Sum> {};

} // namespace detail

template <class A>
inline constexpr SumIn<A> sum_in{};
template <class A>
inline constexpr MeanIn<A> mean_in{};
inline constexpr Mean mean{};

} // namespace tutti::v0_1
