#pragma once

// Tiles: what the kernels' loops keep in registers of a few vectors at a time. As in loops.hpp, everything
// has internal linkage.

#include "cache_line.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_operators.hpp"

namespace tutti::kernel {
namespace {

// Each instruction set has its own constants: they must not be inline.
// NOLINTBEGIN(misc-definitions-in-headers)
#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

/// Bytes of every input reduced in registers before anything is stored: longer tiles keep the overhead of
/// each stream small in the caches, shorter ones suit stores past them. SSE2 has registers for 128 only.
constexpr std::size_t streamed_tile_bytes = 128;
constexpr std::size_t cached_tile_bytes = vector_bytes == 16 ? 128 : 256;

/// How far ahead of the loads inputs are fetched when streaming.
constexpr std::size_t prefetch_bytes = 2048;

/// From here on the first output is brought to vector alignment before the tiles start: AVX-512 stores that
/// are not aligned all straddle two cache lines, and streaming stores must be aligned.
constexpr std::size_t align_from_bytes = 1024;
// NOLINTEND(misc-definitions-in-headers)

// ---- Loads and stores: any address, any element type ----

template <class Vector>
[[gnu::always_inline]] inline Vector load(const void* base, std::size_t offset) {
    Vector value;
    __builtin_memcpy(&value, static_cast<const char*>(base) + offset, sizeof value);
    return value;
}

template <class Vector>
[[gnu::always_inline]] inline void store(void* base, std::size_t offset, Vector value) {
    __builtin_memcpy(static_cast<char*>(base) + offset, &value, sizeof value);
}

/// Non-temporal store if there is one; the address must be a multiple of vector_bytes. Sanitizers built into
/// GCC do not see these stores, so they get an ordinary one. By the compilers' own functions, because the
/// header of the intrinsics takes longer to read than most kernels take to compile.
template <class Vector>
[[gnu::always_inline]] inline void store_streaming(void* base, std::size_t offset, Vector value) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
    store(base, offset, value);
#elif defined(__clang__)
    __builtin_nontemporal_store(value, reinterpret_cast<Vector*>(static_cast<char*>(base) + offset));
#else
    using Words [[gnu::vector_size(vector_bytes)]] = long long;
    auto* const place = reinterpret_cast<Words*>(static_cast<char*>(base) + offset);
#if defined(__AVX512F__)
    __builtin_ia32_movntdq512(place, reinterpret_cast<Words>(value));
#elif defined(__AVX2__)
    __builtin_ia32_movntdq256(place, reinterpret_cast<Words>(value));
#else
    __builtin_ia32_movntdq(place, reinterpret_cast<Words>(value));
#endif
#endif
}

/// Fetches what the tile of `Bytes` bytes that lies prefetch_bytes further on will load; past the end of an
/// input it fetches in vain, and cannot fault.
template <bool Stream, std::size_t Bytes>
[[gnu::always_inline]] inline void prefetch(const void* base, std::size_t offset) {
    if constexpr (Stream) {
        for (std::size_t line = 0; line < Bytes; line += line_bytes) {
            __builtin_prefetch(static_cast<const char*>(base) + offset + prefetch_bytes + line);
        }
    }
}

/// Makes non-temporal stores visible to a thread that acquires what this thread releases next: they are not
/// ordered otherwise.
[[gnu::always_inline]] inline void finish_streaming() {
#ifdef __x86_64__
    __builtin_ia32_sfence();
#endif
}

// ---- Tiles ----

template <bool Stream, class Vector, std::size_t Vectors>
[[gnu::always_inline]] inline void load_tile(Vector (&tile)[Vectors], const void* in, std::size_t offset) {
    prefetch<Stream, sizeof tile>(in, offset);
    for (std::size_t v = 0; v < Vectors; ++v) {
        tile[v] = load<Vector>(in, offset + v * sizeof(Vector));
    }
}

/// Streams only to outputs that are aligned here: those that share the first output's misalignment.
template <bool Stream, class Vector, std::size_t Vectors>
[[gnu::always_inline]] inline void store_tile(void* out, std::size_t offset, const Vector (&tile)[Vectors],
                                              bool cached = false) {
    if constexpr (Stream) {
        if (!cached && (reinterpret_cast<std::uintptr_t>(out) + offset) % sizeof(Vector) == 0) {
            for (std::size_t v = 0; v < Vectors; ++v) {
                store_streaming(out, offset + v * sizeof(Vector), tile[v]);
            }
            return;
        }
    }
    for (std::size_t v = 0; v < Vectors; ++v) {
        store(out, offset + v * sizeof(Vector), tile[v]);
    }
}

/// result = left op right; it may be either.
template <class Op, class Vector, std::size_t Vectors>
[[gnu::always_inline]] inline void combine_tiles(Vector (&result)[Vectors], const Vector (&left)[Vectors],
                                                 const Vector (&right)[Vectors]) {
    for (std::size_t v = 0; v < Vectors; ++v) {
        result[v] = Op::apply(left[v], right[v]);
    }
}

/// tile = tile op the next operand.
template <class Op, bool Stream, class Vector, std::size_t Vectors>
[[gnu::always_inline]] inline void combine_with_next(Vector (&tile)[Vectors], const void* in,
                                                     std::size_t offset) {
    Vector next[Vectors];
    load_tile<Stream>(next, in, offset);
    combine_tiles<Op>(tile, tile, next);
}

/// The left operand.
struct First {
    template <class Vector>
    [[gnu::always_inline]] static Vector apply(Vector a, Vector /*b*/) {
        return a;
    }
};

// ---- The tree of tutti/detail/association.hpp ----

/// Partial results of a power of two in the number of operands each; there are at most 65535 of those.
constexpr int most_partial_results = 16; // NOLINT(misc-definitions-in-headers)

/// The operands in the left part of the tree.
constexpr int left_part_of(int count) {
    int left = 1;
    while (2 * left < count) {
        left *= 2;
    }
    return left;
}

/// So many operands, in registers.
template <class Op, int Count, bool Stream, class Vector, std::size_t Vectors>
[[gnu::always_inline]] inline void combine_in_tree(Vector (&tile)[Vectors], const void* const* ins,
                                                   std::size_t offset) {
    if constexpr (Count == 1) {
        load_tile<Stream>(tile, ins[0], offset);
    } else {
        constexpr int left = left_part_of(Count);
        combine_in_tree<Op, left, Stream>(tile, ins, offset);
        Vector right[Vectors];
        combine_in_tree<Op, Count - left, Stream>(right, ins + left, offset);
        combine_tiles<Op>(tile, tile, right);
    }
}

/// Any number of operands, one after the other: less code than the above.
template <class Op, bool Stream, class Vector, std::size_t Vectors>
[[gnu::always_inline]] inline void combine_one_by_one(Vector (&tile)[Vectors], const void* const* ins,
                                                      int count, std::size_t offset) {
    Vector partial[most_partial_results][Vectors];
    load_tile<Stream>(tile, ins[0], offset);
    for (unsigned before = 0; before + 1 < static_cast<unsigned>(count);) {
        int place = 0;
        for (; (before >> place & 1U) != 0; ++place) {
            combine_tiles<Op>(tile, partial[place], tile);
        }
        combine_tiles<First>(partial[place], tile, tile);
        load_tile<Stream>(tile, ins[++before], offset);
    }
    for (unsigned left = static_cast<unsigned>(count) - 1; left != 0; left &= left - 1) {
        combine_tiles<Op>(tile, partial[__builtin_ctz(left)], tile);
    }
}

/// The prefixes of operands that come one after the other.
template <class Op, class Vector, std::size_t Vectors, detail::Association association>
struct PrefixTiles {
    Vector now[Vectors];

    [[gnu::always_inline]] void start(const Vector (&operand)[Vectors]) {
        combine_tiles<First>(now, operand, operand);
        if constexpr (association == detail::Association::tree) {
            combine_tiles<First>(partial_[0], operand, operand);
        }
    }

    /// `before` operands have come before this one.
    [[gnu::always_inline]] void go_on(const Vector (&operand)[Vectors], unsigned before) {
        if constexpr (association == detail::Association::left) {
            combine_tiles<Op>(now, now, operand);
            return;
        }
        combine_tiles<First>(now, operand, operand);
        const int kept = __builtin_ctz(~before);
        for (int place = 0; place < kept; ++place) {
            combine_tiles<Op>(now, partial_[place], now);
        }
        combine_tiles<First>(partial_[kept], now, now);
        for (unsigned left = before >> kept << kept; left != 0; left &= left - 1) {
            combine_tiles<Op>(now, partial_[__builtin_ctz(left)], now);
        }
    }

private:
    Vector partial_[association == detail::Association::tree ? most_partial_results : 1][Vectors];
};

} // namespace
} // namespace tutti::kernel
