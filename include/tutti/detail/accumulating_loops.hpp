#pragma once

#include <tutti/detail/template_loops.hpp>
#include <tutti/detail/vector_loops.hpp>
#include <tutti/operators.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tutti::inline TUTTI_NAMESPACE::detail {

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

template <class Op, class T>
requires AccumulatesElements<Op, T>
inline constexpr bool combines_elements<Op, T> = true;

/// The loops of an operator that accumulates. All operands of a result must come in one call, in which they
/// are lifted, combined as requested and lowered, part by part in the nearest cache.
template <class T, class Op>
struct AccumulatingLoops {
    using A = Accumulator<Op, T>;

    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        const void* const ins[] = {a, b};
        reduce_many(state, &out, 1, ins, 2, count, Association::left, {});
    }

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association, StoreHints stores) {
        const Op& op = *static_cast<const Op*>(state);
        Part<A> sums;
        Part<T> results;
        for (std::size_t begin = 0; begin < count; begin += part_length) {
            const std::size_t length = std::min(part_length, count - begin);
            accumulate(op, sums.elements(), {ins, begin, length, association}, 0, ins_count);
            // After the last operand has been read, because an output may be an input.
            in_blocks(length, [&](std::size_t i) {
                results.elements()[i] = static_cast<T>(op.template lower<T>(sums.elements()[i], ins_count));
            });
            for (int destination = 0; destination < outs_count; ++destination) {
                void* const out = static_cast<T*>(outs[destination]) + begin;
                StoreHints to_this = stores;
                to_this.cached_out = destination == stores.cached_out ? 0 : -1;
                copy_many(&out, 1, results.elements(), length * sizeof(T), to_this);
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

    /// Without a fold: a node of the fixed tree is a partial result.
    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many, nullptr};

private:
    static constexpr std::size_t part_bytes = 2048;
    static constexpr std::size_t part_length =
        std::max<std::size_t>(1, part_bytes / std::max(sizeof(T), sizeof(A)));
    static constexpr std::size_t block = std::max<std::size_t>(1, 64 / std::max(sizeof(T), sizeof(A)));

    /// Elements that stay in the nearest cache and may lack a default constructor.
    template <class Element>
    struct Part {
        Element* elements() { return reinterpret_cast<Element*>(bytes); }

        alignas(64) std::byte bytes[part_length * sizeof(Element)];
    };
    /// Elements `begin` to `begin` + `length` - 1 of the inputs.
    struct Operands {
        const T* of(int source) const { return static_cast<const T*>(ins[source]) + begin; }

        const void* const* ins;
        std::size_t begin;
        std::size_t length;
        Association association;
    };

    /// Inner loops of a constant length, which compilers vectorise with -O2 as well.
    template <class F>
    static void in_blocks(std::size_t length, F f) {
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

    /// sums = the combination of the operands [first, end).
    static void accumulate(const Op& op, A* sums, const Operands& operands, int first, int end) {
        if (const T* const in = operands.of(first); end - first == 1) {
            return in_blocks(operands.length, [&](std::size_t i) { sums[i] = op.lift(in[i]); });
        }
        if (operands.association == Association::left || end - first <= 3) { // the tree of three is a loop
            const T* const left = operands.of(first);
            const T* const right = operands.of(first + 1);
            in_blocks(operands.length, [&](std::size_t i) {
                sums[i] = static_cast<A>(op(op.lift(left[i]), op.lift(right[i])));
            });
            for (int source = first + 2; source < end; ++source) {
                const T* const next = operands.of(source);
                in_blocks(operands.length,
                          [&](std::size_t i) { sums[i] = static_cast<A>(op(sums[i], op.lift(next[i]))); });
            }
            return;
        }
        const int middle = first + left_part(end - first);
        accumulate(op, sums, operands, first, middle);
        Part<A> right;
        accumulate(op, right.elements(), operands, middle, end);
        in_blocks(operands.length,
                  [&](std::size_t i) { sums[i] = static_cast<A>(op(sums[i], right.elements()[i])); });
    }
};

template <class T, class Op>
requires AccumulatesElements<Op, T>
struct LoopsOf<T, Op> : std::type_identity<AccumulatingLoops<T, Op>> {
};

template <class T, class Op>
requires AccumulatesElements<Op, T>
inline constexpr bool is_one_pass<T, Op> = true;

} // namespace tutti::inline TUTTI_NAMESPACE::detail
