#pragma once

// The loops of the fixed tree over one range of terms (detail/kernels.hpp describes it). As in loops.hpp,
// everything has internal linkage and calls nothing that might be emitted elsewhere.

#include "kernel/tiles.hpp"
#include "kernel/vector_operators.hpp"

#include <tutti/detail/kernels.hpp>

#include <cstddef>
#include <type_traits>

namespace tutti::kernel {
namespace {

/// Rows of fold_row_bytes, whose lanes do not meet.
template <class Lane, class Op>
struct RowFold {
    using Vector = typename VectorOf<Lane, vector_bytes>::type;
    static constexpr std::size_t columns = detail::fold_row_bytes / vector_bytes;
    /// Integers, which most programs do not fold, have short code.
    static constexpr std::size_t rows_in_registers = std::is_integral_v<Lane> ? 4 : detail::fold_least_rows;
    static constexpr std::size_t levels = 8;
    static_assert(detail::fold_chunk_rows / rows_in_registers < std::size_t{1} << levels);

    /// One column of a balanced tree.
    template <std::size_t Rows>
    [[gnu::always_inline]] static Vector column(const char* in) {
        if constexpr (Rows == 1) {
            return load<Vector>(in, 0);
        } else {
            const Vector left = column<Rows / 2>(in);
            return Op::apply(left, column<Rows / 2>(in + Rows / 2 * detail::fold_row_bytes));
        }
    }

    [[gnu::noinline]] static void fold(void* out, const void* in, std::size_t rows) {
        const char* from = static_cast<const char*>(in);
        Vector kept[levels][columns]; // the last node of each size, until its right neighbour is there
        Vector now[columns] = {};
        for (std::size_t node = 0; node < rows / rows_in_registers; ++node) {
            for (std::size_t at = 0; at < columns; ++at) {
                now[at] = column<rows_in_registers>(from + at * vector_bytes);
            }
            std::size_t level = 0;
            for (; (node >> level) % 2 != 0; ++level) {
                for (std::size_t at = 0; at < columns; ++at) {
                    now[at] = Op::apply(kept[level][at], now[at]);
                }
            }
            for (std::size_t at = 0; at < columns; ++at) {
                kept[level][at] = now[at];
            }
            from += rows_in_registers * detail::fold_row_bytes;
        }
        for (std::size_t at = 0; at < columns; ++at) {
            store(out, at * vector_bytes, now[at]);
        }
    }
};

template <class Lane, class Op, std::size_t ElementBytes>
struct Fold {
    /// Combines the left half with the right half, then those of the result, down to one element.
    template <std::size_t Bytes>
    [[gnu::always_inline]] static void combine_lanes(void* out, const void* in) {
        if constexpr (Bytes == ElementBytes) {
            __builtin_memcpy(out, in, Bytes);
        } else {
            constexpr std::size_t half = Bytes / 2;
            constexpr std::size_t width = half < vector_bytes ? half : vector_bytes;
            using Vector = typename VectorOf<Lane, width>::type;
            char combined[half];
            for (std::size_t at = 0; at < half; at += width) {
                store(combined, at, Op::apply(load<Vector>(in, at), load<Vector>(in, half + at)));
            }
            combine_lanes<half>(out, combined);
        }
    }

    static void fold(const void* /*state*/, void* out, const void* in, std::size_t rows) {
        if (rows < detail::fold_chunk_rows) {
            return RowFold<Lane, Op>::fold(out, in, rows);
        }
        char row[detail::fold_row_bytes];
        RowFold<Lane, Op>::fold(row, in, rows);
        combine_lanes<detail::fold_row_bytes>(out, row);
    }
};

} // namespace
} // namespace tutti::kernel
