#pragma once

// The kernels' one source. isa_generic.cpp, isa_avx2.cpp and isa_avx512.cpp each include it and are compiled
// with their own instruction set; dispatch.cpp picks a table at run time.
//
// Everything here has internal linkage and calls no inline function or template of anybody else. If such a
// function were emitted out of line from the AVX-512 file, it would be a weak symbol that the linker may
// choose for the whole program, which then dies on a CPU without AVX-512. A test reads the object files'
// symbols.
//
// Results must not depend on the instruction set: no fused multiply-add (-ffp-contract=off), integers are
// computed as unsigned, of two NaNs the left one's payload stays (left_first.hpp), and whole vectors and
// single elements go through the same expression (a single element is a vector of one lane).

#include "cache_line.hpp"
#include "kernel/left_first.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_operators.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#ifdef __x86_64__
#include <immintrin.h>
#endif

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

/// A string move pays from a certain length on, so there is a most of prefixes that share moved_bytes.
constexpr int most_moved_prefixes = 16;

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

/// Non-temporal store where there is one; the address must be a multiple of vector_bytes. Sanitizers built
/// into GCC do not see these intrinsics, so they get an ordinary store.
template <class Vector>
[[gnu::always_inline]] inline void store_streaming(void* base, std::size_t offset, Vector value) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
    store(base, offset, value);
#elif defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(static_cast<char*>(base) + offset),
                        reinterpret_cast<__m512i>(value));
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(static_cast<char*>(base) + offset),
                        reinterpret_cast<__m256i>(value));
#else
    _mm_stream_si128(reinterpret_cast<__m128i*>(static_cast<char*>(base) + offset),
                     reinterpret_cast<__m128i>(value));
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

/// Makes streaming stores visible to whoever acquires what this thread releases next: they are not ordered
/// otherwise.
[[gnu::always_inline]] inline void finish_streaming() {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

// ---- Loops ----

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

/// All outputs get the reduction of all inputs.
struct Reduction {
    void* const* outs;
    int outs_count;
    const void* const* ins;
    int ins_count;
    int cached_out;
};

/// outs[j] gets the reduction of inputs 0 .. j; there are `count` of both. outs[j] may be ins[j] or ins[j+1].
struct Prefixes {
    void* const* outs;
    const void* const* ins;
    int count;
    int cached_out;
};

/// The base of a vector whose bytes from `offset` on lie at `place`.
[[gnu::always_inline]] inline void* base_of(void* place, std::size_t offset) {
    const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(place) - offset;
    return reinterpret_cast<void*>(base); // NOLINT(performance-no-int-to-ptr)
}

[[gnu::always_inline]] inline void move(void* out, const void* in, std::size_t begin, std::size_t end) {
    move_string(static_cast<char*>(out) + begin, static_cast<const char*>(in) + begin, end - begin);
}

template <class Lane, class Op, std::size_t ElementBytes>
struct Loops {
    /// Reduces bytes [begin, end) in tiles of Vectors vectors of Width bytes as far as whole tiles go;
    /// returns where it stopped. A tile is read from every input before it is written to any output, which is
    /// what makes in-place calls right.
    template <std::size_t Width, std::size_t Vectors, bool Stream>
    [[gnu::always_inline]] static std::size_t sweep(const Reduction& data, std::size_t begin,
                                                    std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        for (; begin + Vectors * Width <= end; begin += Vectors * Width) {
            Vector accumulated[Vectors];
            prefetch<Stream, Vectors * Width>(data.ins[0], begin);
            for (std::size_t v = 0; v < Vectors; ++v) {
                accumulated[v] = load<Vector>(data.ins[0], begin + v * Width);
            }
            for (int source = 1; source < data.ins_count; ++source) {
                const void* const in = data.ins[source];
                prefetch<Stream, Vectors * Width>(in, begin);
                for (std::size_t v = 0; v < Vectors; ++v) {
                    accumulated[v] = Op::apply(accumulated[v], load<Vector>(in, begin + v * Width));
                }
            }
            for (int destination = 0; destination < data.outs_count; ++destination) {
                store_tile<Stream>(data.outs[destination], begin, accumulated,
                                   destination == data.cached_out);
            }
        }
        return begin;
    }

    /// The same for prefixes. A tile of each input is read before the prefix up to the one before is stored,
    /// since that may go to the same place.
    template <std::size_t Width, std::size_t Vectors, bool Stream>
    [[gnu::always_inline]] static std::size_t sweep(const Prefixes& data, std::size_t begin,
                                                    std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        for (; begin + Vectors * Width <= end; begin += Vectors * Width) {
            Vector prefix[Vectors];
            prefetch<Stream, Vectors * Width>(data.ins[0], begin);
            for (std::size_t v = 0; v < Vectors; ++v) {
                prefix[v] = load<Vector>(data.ins[0], begin + v * Width);
            }
            for (int member = 1; member < data.count; ++member) {
                const void* const in = data.ins[member];
                prefetch<Stream, Vectors * Width>(in, begin);
                Vector operand[Vectors];
                for (std::size_t v = 0; v < Vectors; ++v) {
                    operand[v] = load<Vector>(in, begin + v * Width);
                }
                store_tile<Stream>(data.outs[member - 1], begin, prefix, member - 1 == data.cached_out);
                for (std::size_t v = 0; v < Vectors; ++v) {
                    prefix[v] = Op::apply(prefix[v], operand[v]);
                }
            }
            store_tile<Stream>(data.outs[data.count - 1], begin, prefix, data.count - 1 == data.cached_out);
        }
        return begin;
    }

    /// Bytes [begin, end) that are no whole tile: vectors of half the width each time, down to one element.
    template <std::size_t Width, class Data>
    [[gnu::always_inline]] static void narrow(const Data& data, std::size_t begin, std::size_t end) {
        begin = sweep<Width, 1, false>(data, begin, end);
        if constexpr (Width > ElementBytes) {
            narrow<Width / 2>(data, begin, end);
        }
    }

    template <class Data>
    [[gnu::noinline]] static void edge(const Data& data, std::size_t begin, std::size_t end) {
        narrow<vector_bytes>(data, begin, end);
    }

    template <bool Stream, class Data>
    [[gnu::always_inline]] static void run(const Data& data, std::size_t begin, std::size_t end) {
        if (end - begin >= align_from_bytes) {
            const std::size_t head = -(reinterpret_cast<std::uintptr_t>(data.outs[0]) + begin) % vector_bytes;
            if (head != 0 && head % ElementBytes == 0) {
                edge(data, begin, begin + head);
                begin += head;
            }
        }
        constexpr std::size_t tile_bytes = Stream ? streamed_tile_bytes : cached_tile_bytes;
        begin = sweep<vector_bytes, tile_bytes / vector_bytes, Stream>(data, begin, end);
        if (begin < end) {
            edge(data, begin, end);
        }
    }

    /// Part by part to the output that is written through the caches, and from there by string moves to all
    /// others.
    [[gnu::noinline]] static void run_moved(const Reduction& data, std::size_t end) {
        void* const own = data.outs[data.cached_out];
        for (std::size_t begin = 0; begin < end; begin += moved_bytes) {
            const std::size_t stop = end - begin < moved_bytes ? end : begin + moved_bytes;
            run<false>(Reduction{&own, 1, data.ins, data.ins_count, -1}, begin, stop);
            for (int destination = 0; destination < data.outs_count; ++destination) {
                if (destination != data.cached_out) {
                    move(data.outs[destination], own, begin, stop);
                }
            }
        }
    }

    /// The same for prefixes, each of which has a tile of this CPU's caches that it is moved from.
    [[gnu::noinline]] static void run_moved(const Prefixes& data, std::size_t end) {
        alignas(line_bytes) char tiles[moved_bytes];
        const int others = data.count - (data.cached_out >= 0 ? 1 : 0);
        const std::size_t tile_bytes =
            moved_bytes / static_cast<std::size_t>(others) / line_bytes * line_bytes;
        void* firsts[most_moved_prefixes];
        for (std::size_t begin = 0; begin < end; begin += tile_bytes) {
            const std::size_t stop = end - begin < tile_bytes ? end : begin + tile_bytes;
            char* tile = tiles;
            for (int member = 0; member < data.count; ++member) {
                const bool is_own = member == data.cached_out;
                firsts[member] = is_own ? data.outs[member] : base_of(tile, begin);
                tile += is_own ? 0 : tile_bytes;
            }
            run<false>(Prefixes{firsts, data.ins, data.count, -1}, begin, stop);
            for (int member = 0; member < data.count; ++member) {
                if (member != data.cached_out) {
                    move(data.outs[member], firsts[member], begin, stop);
                }
            }
        }
    }

    template <class Data>
    [[gnu::always_inline]] static void run(const Data& data, std::size_t end, bool stream) {
        if (stream) {
            run<true>(data, 0, end);
            finish_streaming();
        } else {
            run<false>(data, 0, end);
        }
    }

    /// Apart from reduce(), which so needs no stack frame for a single element.
    [[gnu::noinline]] static void reduce_several(void* out, const void* a, const void* b, std::size_t count) {
        const void* const ins[] = {a, b};
        run<false>(Reduction{&out, 1, ins, 2, -1}, 0, count * ElementBytes);
    }

    static void reduce(const void* /*state*/, void* out, const void* a, const void* b, std::size_t count) {
        if (count == 1) {
            // Latency counts here: a message of one element is reduced between two exchanges.
            using Element = typename VectorOf<Lane, ElementBytes>::type;
            const Element result[] = {Op::apply(load<Element>(a, 0), load<Element>(b, 0))};
            store_tile<false>(out, 0, result);
            return;
        }
        reduce_several(out, a, b, count);
    }

    static void reduce_many(const void* /*state*/, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, detail::Stores stores) {
        const Reduction data{outs, outs_count, ins, ins_count, stores.cached_out};
        const std::size_t bytes = count * ElementBytes;
        const bool moves = stores.move && bytes >= string_move_from_bytes;
        if (moves && stores.cached_out >= 0 && outs_count > 1) {
            run_moved(data, bytes);
        } else {
            // To the only place of another nothing can be moved from a place of one's own.
            run(data, bytes, stores.stream || (moves && stores.cached_out < 0));
        }
    }

    static void scan_many(const void* /*state*/, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, detail::Stores stores) {
        const Prefixes data = exclusive ? Prefixes{outs + 1, ins, members - 1, stores.cached_out - 1}
                                        : Prefixes{outs, ins, members, stores.cached_out};
        const std::size_t bytes = count * ElementBytes;
        const bool has_others = data.count > (data.cached_out >= 0 ? 1 : 0);
        if (stores.move && has_others && data.count <= most_moved_prefixes &&
            bytes >= string_move_from_bytes) {
            run_moved(data, bytes);
        } else if (data.count > 0) {
            run(data, bytes, stores.stream);
        }
    }
};

} // namespace
} // namespace tutti::kernel
