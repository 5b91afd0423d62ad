#pragma once

#include <tutti/detail/kernels.hpp>
#include <tutti/dynamic.hpp>
#include <tutti/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace tutti::detail {

/// What has been combined so far, and the operand that comes next and is combined into it, as bytes: pieces
/// of vectors, which stay in the caches. `Combine` knows the elements.
template <class Combine>
class Pieces {
public:
    explicit Pieces(const void* state) : combine_(state) {
        if (combine_.element_bytes() > Combine::piece_bytes) {
            large_ = std::make_unique<std::byte[]>(2 * combine_.element_bytes());
            so_far_ = large_.get();
            next_ = so_far_ + combine_.element_bytes();
        }
    }

    /// Of each piece but the last.
    std::size_t elements() const {
        return std::max<std::size_t>(1, Combine::piece_bytes / combine_.element_bytes());
    }
    /// Goes to elements `start` .. `start` + `length` - 1.
    void move_to(std::size_t start, std::size_t length) {
        offset_ = start * combine_.element_bytes();
        length_ = length;
        bytes_ = length * combine_.element_bytes();
    }

    void take(const void* in) { std::memcpy(so_far_, static_cast<const std::byte*>(in) + offset_, bytes_); }
    void take_next(const void* in) {
        std::memcpy(next_, static_cast<const std::byte*>(in) + offset_, bytes_);
    }
    void combine_with_next() {
        combine_(so_far_, next_, length_);
        std::swap(so_far_, next_);
    }
    void put(void* out) const { std::memcpy(static_cast<std::byte*>(out) + offset_, so_far_, bytes_); }

private:
    Combine combine_;
    alignas(Combine::align) std::byte small_[2][Combine::piece_bytes];
    std::unique_ptr<std::byte[]> large_;
    std::byte* so_far_ = small_[0];
    std::byte* next_ = small_[1];
    std::size_t offset_ = 0;
    std::size_t length_ = 0;
    std::size_t bytes_ = 0;
};

/// The loops for operators that combine vectors: they are given one piece after the other.
template <class Combine>
struct PieceLoops {
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        if (out == a) {
            const void* const ins[] = {a, b};
            return reduce_many(state, &out, 1, ins, 2, count, {});
        }
        const Combine combine(state);
        if (count != 0) {
            if (out != b) {
                std::memcpy(out, b, count * combine.element_bytes());
            }
            combine(a, out, count);
        }
    }

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Stores /*stores*/) {
        Pieces<Combine> pieces(state);
        for (std::size_t start = 0; start < count; start += pieces.elements()) {
            pieces.move_to(start, std::min(pieces.elements(), count - start));
            pieces.take(ins[0]);
            for (int source = 1; source < ins_count; ++source) {
                pieces.take_next(ins[source]);
                pieces.combine_with_next();
            }
            for (int destination = 0; destination < outs_count; ++destination) {
                pieces.put(outs[destination]);
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
        Pieces<Combine> pieces(state);
        for (std::size_t start = 0; start < count; start += pieces.elements()) {
            pieces.move_to(start, std::min(pieces.elements(), count - start));
            pieces.take(ins[0]);
            for (int member = 1; member < prefixes; ++member) {
                // In place and exclusive, the prefix goes where this operand lies: it is copied before.
                pieces.take_next(ins[member]);
                pieces.put(results[member - 1]);
                pieces.combine_with_next();
            }
            pieces.put(results[prefixes - 1]);
        }
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many};
};

inline constexpr std::size_t usual_piece_bytes = 4096;

/// How a VectorOp combines elements of type T.
template <class T, class Op>
struct CombineVectors {
    explicit CombineVectors(const void* state) : op(static_cast<const Op*>(state)) {}

    static constexpr std::size_t piece_bytes = std::max(usual_piece_bytes, sizeof(T));
    static constexpr std::size_t align = alignof(T);
    static constexpr std::size_t element_bytes() { return sizeof(T); }

    void operator()(const void* left, void* inout, std::size_t count) const {
        op->f(std::span<const T>(static_cast<const T*>(left), count),
              std::span<T>(static_cast<T*>(inout), count));
    }

    const Op* op;
};

/// How a DynamicOp that has a function does.
struct CombineDynamic {
    explicit CombineDynamic(const void* state) : op(static_cast<const DynamicOp*>(state)) {}

    static constexpr std::size_t piece_bytes = usual_piece_bytes;
    static constexpr std::size_t align = alignof(std::max_align_t);
    std::size_t element_bytes() const { return op->element_bytes(); }

    void operator()(const void* left, void* inout, std::size_t count) const {
        op->function()(left, inout, count, op->user());
    }

    const DynamicOp* op;
};

template <class T, class Op>
struct VectorLoops : PieceLoops<CombineVectors<T, Op>> {};
struct DynamicLoops : PieceLoops<CombineDynamic> {};

/// The loops for everything that has no compiled kernel.
template <class T, class Op>
struct LoopsOf : std::type_identity<TemplateLoops<T, Op>> {};
template <class T, class F>
struct LoopsOf<T, VectorOp<F>> : std::type_identity<VectorLoops<T, VectorOp<F>>> {};

} // namespace tutti::detail
