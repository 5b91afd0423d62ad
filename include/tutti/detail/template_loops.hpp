// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/kernels.hpp>
#include <tutti/operators.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace tutti::v0_1::detail {

/// A few elements of a type that may lack a default constructor.
template <class T>
class PartialResults {
public:
    explicit PartialResults(int count) {
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
        if (bytes > sizeof few_) {
            many_ = std::make_unique<std::byte[]>(bytes);
        }
    }

    void keep(int place, const T& value) { std::memcpy(at(place), &value, sizeof value); }
    T operator[](int place) {
        alignas(T) std::byte bytes[sizeof(T)];
        std::memcpy(bytes, at(place), sizeof bytes);
        return *std::launder(reinterpret_cast<const T*>(bytes));
    }

private:
    std::byte* at(int place) {
        return (many_ ? many_.get() : few_) + static_cast<std::size_t>(place) * sizeof(T);
    }

    std::byte few_[1024];
    std::unique_ptr<std::byte[]> many_;
};

/// The loops of pairs without compiled kernels: any callable, any trivially copyable element.
template <class T, class Op>
struct TemplateLoops {
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        combine(*static_cast<const Op*>(state), static_cast<T*>(out), static_cast<const T*>(a),
                static_cast<const T*>(b), count);
    }

    /// Uses ordinary stores and ignores `stores`, because the operator is the limit here, not the memory.
    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            StoreHints /*stores*/) {
        Part part;
        for (std::size_t begin = 0; begin < count; begin += Part::length) {
            const std::size_t length = count - begin < Part::length ? count - begin : Part::length;
            const Operands operands{ins, begin, length, association};
            T* const first = static_cast<T*>(outs[0]) + begin;
            combine(*static_cast<const Op*>(state), first, part, operands, 0, ins_count);
            for (int destination = 1; destination < outs_count; ++destination) {
                void* const other = static_cast<T*>(outs[destination]) + begin;
                std::memcpy(other, first, length * sizeof(T));
            }
        }
    }

    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association, StoreHints /*stores*/) {
        const Op& op = *static_cast<const Op*>(state);
        const int prefixes = exclusive ? members - 1 : members;
        if (prefixes == 0) {
            return;
        }
        void* const* const results = exclusive ? outs + 1 : outs;
        PartialResults<T> partial(partial_results(prefixes, association));
        for (std::size_t i = 0; i < count; ++i) {
            T prefix = static_cast<const T*>(ins[0])[i];
            partial.keep(0, prefix);
            for (int member = 1; member < prefixes; ++member) {
                // In place and exclusive, the last prefix overwrites this operand, so the operand is read
                // first.
                const T operand = static_cast<const T*>(ins[member])[i];
                static_cast<T*>(results[member - 1])[i] = prefix;
                prefix = operand;
                const auto combine = [&](int place) { prefix = static_cast<T>(op(partial[place], prefix)); };
                const Merges merges(member, association);
                partial.keep(merges.of_kept(combine), prefix);
                merges.of_rest(combine);
            }
            static_cast<T*>(results[prefixes - 1])[i] = prefix;
        }
    }

    static void fold(const void* state, void* out, const void* in, std::size_t rows) {
        const T folded = fold(*static_cast<const Op*>(state), static_cast<const T*>(in), rows);
        std::memcpy(out, &folded, sizeof folded);
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many, &fold};

private:
    /// A balanced tree, without loops.
    template <std::size_t Terms>
    static T fold(const Op& op, const T* in) {
        if constexpr (Terms == 1) {
            return *in;
        } else {
            const T left = fold<Terms / 2>(op, in);
            return static_cast<T>(op(left, fold<Terms / 2>(op, in + Terms / 2)));
        }
    }
    static T fold(const Op& op, const T* in, std::size_t terms) {
        constexpr std::size_t without_loop = 16;
        if (terms == without_loop) {
            return fold<without_loop>(op, in);
        }
        if (terms == 1) {
            return *in;
        }
        const T left = fold(op, in, terms / 2);
        return static_cast<T>(op(left, fold(op, in + terms / 2, terms / 2)));
    }

    /// Partial results that stay in the nearest cache. T may lack a default constructor.
    struct Part {
        static constexpr std::size_t length = sizeof(T) < 1024 ? 1024 / sizeof(T) : 1;

        operator T*() { return reinterpret_cast<T*>(bytes); }

        alignas(T) std::byte bytes[length * sizeof(T)];
    };
    /// Elements `begin` to `begin` + `length` - 1 of the inputs.
    struct Operands {
        const T* of(int source) const { return static_cast<const T*>(ins[source]) + begin; }

        const void* const* ins;
        std::size_t begin;
        std::size_t length;
        Association association;
    };

    /// The inner loop has a constant length and depends on nothing before, so that compilers vectorise it
    /// with -O2 as well. `out` may be equal to `left` or `right`.
    static void combine(const Op& op, T* out, const T* left, const T* right, std::size_t count) {
        constexpr std::size_t block = sizeof(T) < 64 ? 64 / sizeof(T) : 1;
        std::size_t i = 0;
        for (; i + block <= count; i += block) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
            for (std::size_t j = 0; j < block; ++j) {
                out[i + j] = static_cast<T>(op(left[i + j], right[i + j]));
            }
        }
        for (; i < count; ++i) {
            out[i] = static_cast<T>(op(left[i], right[i]));
        }
    }

    /// out = the combination of the operands [first, end), whose partial results are in `part`, which may be
    /// `out`. `out` may be equal to an operand: it is written when all have been read.
    static void combine(const Op& op, T* out, T* part, const Operands& operands, int first, int end) {
        const int count = end - first;
        if (count == 1) {
            std::memmove(static_cast<void*>(out), operands.of(first), operands.length * sizeof(T));
        } else if (operands.association == Association::tree && count > 2) {
            const int middle = first + left_part(count);
            combine(op, part, part, operands, first, middle);
            Part right;
            combine(op, right, right, operands, middle, end);
            combine(op, out, part, right, operands.length);
        } else {
            const T* left = operands.of(first);
            for (int source = first + 1; source < end; ++source) {
                T* const to = source == end - 1 ? out : part;
                combine(op, to, left, operands.of(source), operands.length);
                left = part;
            }
        }
    }
};

/// Whether builtin() has kernels for elements of type T with an Applicable operator of type Op.
template <class T, class Op>
inline constexpr bool
    has_builtin_kernels = type_of<T>() != Type::other&& operator_of<Op>() != Operator::callable;

template <class T, class Op>
constexpr auto reducer_of() {
    using Own = typename WithIdentity<Op, T>::type;
    // std::multiplies recovers infinities of complex numbers, and `prod` does not.
    constexpr bool has_same_results = !is_complex<T> || !std::is_same_v<Own, Prod>;
    if constexpr (has_builtin_kernels<T, Own> && Applicable<Own, T> && has_same_results) {
        return std::type_identity<Own>{};
    } else {
        return std::type_identity<Op>{};
    }
}
/// The operator that reduces elements of type T in the place of Op: that of the library with the same
/// results, if it has compiled kernels, else Op.
template <class T, class Op>
using Reducer = typename decltype(reducer_of<T, Op>())::type;

/// The loops of pairs without compiled kernels.
template <class T, class Op>
struct LoopsOf : std::type_identity<TemplateLoops<T, Op>> {};

/// Whether the loops of a pair without compiled kernels need one pass: see Call::needs_one_pass().
template <class T, class Op>
inline constexpr bool is_one_pass = false;

} // namespace tutti::v0_1::detail
