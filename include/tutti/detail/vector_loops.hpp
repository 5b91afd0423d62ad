#pragma once

#include <tutti/detail/kernels.hpp>
#include <tutti/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace tutti::detail {

/// The loops for an operator that combines vectors: it is given one piece after the other, so that operands
/// which must not be changed are copied to where they stay in the caches.
template <class T, class Op>
struct VectorLoops {
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        if (out == a) {
            const void* const ins[] = {a, b};
            return reduce_many(state, &out, 1, ins, 2, count, {});
        }
        if (out != b && count != 0) {
            std::memcpy(out, b, count * sizeof(T));
        }
        combine(state, static_cast<const T*>(a), static_cast<T*>(out), count);
    }

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Stores /*stores*/) {
        Pieces pieces;
        for (std::size_t start = 0; start < count; start += piece) {
            const std::size_t length = std::min(piece, count - start);
            pieces.take(ins[0], start, length);
            for (int source = 1; source < ins_count; ++source) {
                pieces.combine_with(state, ins[source], start, length);
            }
            for (int destination = 0; destination < outs_count; ++destination) {
                pieces.put(outs[destination], start, length);
            }
        }
    }

    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Stores /*stores*/) {
        const int prefixes = exclusive ? members - 1 : members;
        if (prefixes == 0) {
            return;
        }
        void* const* const results = exclusive ? outs + 1 : outs;
        Pieces pieces;
        for (std::size_t start = 0; start < count; start += piece) {
            const std::size_t length = std::min(piece, count - start);
            pieces.take(ins[0], start, length);
            for (int member = 1; member < prefixes; ++member) {
                // In place and exclusive, the prefix goes where this operand lies: it is copied before.
                pieces.take_next(ins[member], start, length);
                pieces.put(results[member - 1], start, length);
                pieces.combine_with_next(state, length);
            }
            pieces.put(results[prefixes - 1], start, length);
        }
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many};

private:
    static constexpr std::size_t piece_bytes = 4096;
    static constexpr std::size_t piece = std::max<std::size_t>(1, piece_bytes / sizeof(T));

    static void combine(const void* state, const T* left, T* inout, std::size_t count) {
        if (count != 0) {
            static_cast<const Op*>(state)->f(std::span<const T>(left, count), std::span<T>(inout, count));
        }
    }

    /// What has been combined so far, and the operand that comes next, which it is combined into.
    class Pieces {
    public:
        void take(const void* in, std::size_t start, std::size_t length) {
            std::memcpy(static_cast<void*>(so_far_), static_cast<const T*>(in) + start, length * sizeof(T));
        }
        void take_next(const void* in, std::size_t start, std::size_t length) {
            std::memcpy(static_cast<void*>(next_), static_cast<const T*>(in) + start, length * sizeof(T));
        }
        void combine_with_next(const void* state, std::size_t length) {
            combine(state, so_far_, next_, length);
            std::swap(so_far_, next_);
        }
        void combine_with(const void* state, const void* in, std::size_t start, std::size_t length) {
            take_next(in, start, length);
            combine_with_next(state, length);
        }
        void put(void* out, std::size_t start, std::size_t length) const {
            std::memcpy(static_cast<void*>(static_cast<T*>(out) + start), so_far_, length * sizeof(T));
        }

    private:
        alignas(T) std::byte bytes_[2][piece * sizeof(T)];
        T* so_far_ = reinterpret_cast<T*>(bytes_[0]);
        T* next_ = reinterpret_cast<T*>(bytes_[1]);
    };
};

/// The loops for everything that has no compiled kernel.
template <class T, class Op>
struct LoopsOf : std::type_identity<TemplateLoops<T, Op>> {};
template <class T, class F>
struct LoopsOf<T, VectorOp<F>> : std::type_identity<VectorLoops<T, VectorOp<F>>> {};

} // namespace tutti::detail
