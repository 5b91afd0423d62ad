#pragma once

// The loop over two operands, for every operator. As in loops.hpp, everything has internal linkage.

#include "kernel/pieces.hpp"
#include "kernel/tiles.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::kernel {
namespace {

/// A vector of UnitBytes bytes is the shortest that Op can be applied to.
template <class Lane, class Op, std::size_t UnitBytes>
struct Pairs {
    template <std::size_t ElementBytes>
    static void reduce(const void* /*state*/, void* out, const void* a, const void* b, std::size_t count) {
        if (count == 1) {
            // Latency counts here: a message of one element is reduced between two exchanges.
            using Element = typename VectorOf<Lane, ElementBytes>::type;
            const Element result[] = {Op::apply(load<Element>(a, 0), load<Element>(b, 0))};
            store_tile<false>(out, 0, result);
            return;
        }
        reduce_several(out, a, b, count * ElementBytes);
    }

private:
    /// Apart from reduce(), which so needs no stack frame for a single element.
    [[gnu::noinline]] static void reduce_several(void* out, const void* a, const void* b, std::size_t end) {
        std::size_t begin = 0;
        if (end >= align_from_bytes) {
            const std::size_t head = -reinterpret_cast<std::uintptr_t>(out) % vector_bytes;
            if (head % UnitBytes == 0) {
                edge(out, a, b, 0, head);
                begin = head;
            }
        }
        begin = sweep<vector_bytes, cached_tile_bytes / vector_bytes>(out, a, b, begin, end);
        edge(out, a, b, begin, end);
    }

    /// A tile is read from both operands before it is written: `out` may be either.
    template <std::size_t Width, std::size_t Vectors>
    [[gnu::always_inline]] static std::size_t sweep(void* out, const void* a, const void* b,
                                                    std::size_t begin, std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        for (; begin + Vectors * Width <= end; begin += Vectors * Width) {
            Vector combined[Vectors];
            load_tile<false>(combined, a, begin);
            combine_with_next<Op, false>(combined, b, begin);
            store_tile<false>(out, begin, combined);
        }
        return begin;
    }

    [[gnu::noinline]] static void edge(void* out, const void* a, const void* b, std::size_t begin,
                                       std::size_t end) {
        narrow<vector_bytes>(out, a, b, begin, end);
    }

    /// Bytes [begin, end) that are no whole tile: vectors of half the width each time, down to one unit.
    template <std::size_t Width>
    [[gnu::always_inline]] static void narrow(void* out, const void* a, const void* b, std::size_t begin,
                                              std::size_t end) {
        begin = sweep<Width, 1>(out, a, b, begin, end);
        if constexpr (Width > UnitBytes) {
            narrow<Width / 2>(out, a, b, begin, end);
        }
    }
};

/// The kernels of an operator of which there is no other loop than that over two operands.
template <class Lane, class Op, std::size_t UnitBytes, std::size_t ElementBytes>
struct InPieces {
    static constexpr PairLoop loop{&Pairs<Lane, Op, UnitBytes>::template reduce<ElementBytes>, ElementBytes,
                                   std::is_integral_v<Lane>};

    static void reduce_many(const void* /*state*/, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, detail::Brackets brackets,
                            detail::Stores stores) {
        reduce_in_pieces(loop, outs, outs_count, ins, ins_count, count, brackets, stores);
    }

    static void scan_many(const void* /*state*/, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, detail::Brackets brackets,
                          detail::Stores stores) {
        scan_in_pieces(loop, outs, ins, members, count, exclusive, brackets, stores);
    }

    static constexpr detail::Kernels kernels{loop.reduce, &reduce_many, &scan_many};
};

} // namespace
} // namespace tutti::kernel
