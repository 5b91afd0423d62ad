#pragma once

// The kernels' one source. The files that CMakeLists.txt makes include it, and are compiled for an
// instruction set each; dispatch.cpp picks one at run time.
//
// Everything here has internal linkage and calls no inline function or template of anybody else. If such a
// function were emitted out of line from the AVX-512 file, it would be a weak symbol that the linker may
// choose for the whole program, which then dies on a CPU without AVX-512. A test reads the object files'
// symbols.
//
// Results must not depend on the instruction set: no fused multiply-add (-ffp-contract=off), integers are
// computed as unsigned, of two NaNs the left one's payload stays (vector_operators.hpp), and whole vectors
// and single elements go through the same expression (a single element is a vector of one lane).

#include "kernel/halves.hpp"
#include "kernel/loop_data.hpp"

namespace tutti::kernel {
namespace {

/// rep movsb pays from a certain length on, so there is a limit to the prefixes that share moved_bytes.
constexpr int most_moved_prefixes = 16; // NOLINT(misc-definitions-in-headers)

/// The base of a vector whose bytes from `offset` on lie at `place`.
[[gnu::always_inline]] inline void* base_of(void* place, std::size_t offset) {
    const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(place) - offset;
    return reinterpret_cast<void*>(base); // NOLINT(performance-no-int-to-ptr)
}

[[gnu::always_inline]] inline void move(void* out, const void* in, std::size_t begin, std::size_t end) {
    move_string(static_cast<char*>(out) + begin, static_cast<const char*>(in) + begin, end - begin);
}

/// Combines bytes [begin, end) through the caches. The moving loops below call it by address, so that there
/// is one copy of them for all types and operators. They call it once for each part of at most `moved_bytes`;
/// prefixes share these.
template <class Data>
using Combine = void (*)(const Data& data, Association association, std::size_t begin, std::size_t end);
template <Association association>
using Scan = void (*)(const Prefixes<association>& data, std::size_t begin, std::size_t end);

/// Up to so many operands are associated from the left in the tree, too.
constexpr int same_in_both = 3; // NOLINT(misc-definitions-in-headers)

/// Part by part to the output that is written through the caches, and from there by rep movsb to all others.
/// `Data` is a Reduction, or more.
template <class Data>
[[gnu::noinline]] void combine_and_move(Combine<Data> combine, const Data& data, Association association,
                                        std::size_t end) {
    void* const own = data.outs[data.cached_out];
    Data to_own = data;
    static_cast<Reduction&>(to_own) = {&own, 1, data.ins, data.ins_count, -1};
    for (std::size_t begin = 0; begin < end; begin += moved_bytes) {
        const std::size_t stop = end - begin < moved_bytes ? end : begin + moved_bytes;
        combine(to_own, association, begin, stop);
        for (int destination = 0; destination < data.outs_count; ++destination) {
            if (destination != data.cached_out) {
                move(data.outs[destination], own, begin, stop);
            }
        }
    }
}

/// The same for prefixes, each of which has a tile of this CPU's caches that it is moved from.
template <Association association>
[[gnu::noinline]] void scan_and_move(Scan<association> scan, const Prefixes<association>& data,
                                     std::size_t end) {
    char* const tiles = tiles_of_thread();
    if (tiles == nullptr) {
        return scan(data, 0, end);
    }
    const int others = data.count - (data.cached_out >= 0 ? 1 : 0);
    const std::size_t tile_bytes = moved_bytes / static_cast<std::size_t>(others) / line_bytes * line_bytes;
    void* firsts[most_moved_prefixes];
    for (std::size_t begin = 0; begin < end; begin += tile_bytes) {
        const std::size_t stop = end - begin < tile_bytes ? end : begin + tile_bytes;
        char* tile = tiles;
        for (int member = 0; member < data.count; ++member) {
            const bool is_own = member == data.cached_out;
            firsts[member] = is_own ? data.outs[member] : base_of(tile, begin);
            tile += is_own ? 0 : tile_bytes;
        }
        scan({firsts, data.ins, data.count, -1}, begin, stop);
        for (int member = 0; member < data.count; ++member) {
            if (member != data.cached_out) {
                move(data.outs[member], firsts[member], begin, stop);
            }
        }
    }
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
            Vector combined[Vectors];
            load_tile<Stream>(combined, data.ins[0], begin);
            for (int source = 1; source < data.ins_count; ++source) {
                combine_with_next<Op, Stream>(combined, data.ins[source], begin);
            }
            for (int destination = 0; destination < data.outs_count; ++destination) {
                store_tile<Stream>(data.outs[destination], begin, combined, destination == data.cached_out);
            }
        }
        return begin;
    }

    template <std::size_t Width, std::size_t Vectors, bool Stream>
    [[gnu::always_inline]] static std::size_t sweep(const AnyTree& data, std::size_t begin, std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        for (; begin + Vectors * Width <= end; begin += Vectors * Width) {
            Vector combined[Vectors];
            combine_one_by_one<Op, Stream>(combined, data.ins, data.ins_count, begin);
            finish<Stream>(combined, data, begin);
        }
        return begin;
    }

    /// Combines the left operand, if any, and stores the tile.
    template <bool Stream, class Vector, std::size_t Vectors>
    [[gnu::always_inline]] static void finish(Vector (&combined)[Vectors], const AnyTree& data,
                                              std::size_t begin) {
        if (data.before != nullptr) {
            Vector left[Vectors];
            load_tile<false>(left, data.before, begin);
            combine_tiles<Op>(combined, left, combined);
        }
        for (int destination = 0; destination < data.outs_count; ++destination) {
            store_tile<Stream>(data.outs[destination], begin, combined, destination == data.cached_out);
        }
    }

    template <std::size_t Width, std::size_t Vectors, bool Stream, int Count>
    [[gnu::always_inline]] static std::size_t sweep(const Tree<Count>& data, std::size_t begin,
                                                    std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        constexpr auto count = static_cast<std::size_t>(Count);
        const void* ins[count]; // in registers
        for (std::size_t source = 0; source < count; ++source) {
            ins[source] = data.ins[source];
        }
        for (; begin + Vectors * Width <= end; begin += Vectors * Width) {
            Vector combined[Vectors];
            combine_in_tree<Op, Count, Stream>(combined, ins, begin);
            finish<Stream>(combined, data, begin);
        }
        return begin;
    }

    /// The same for prefixes. A tile of each input is read before the prefix up to the one before is stored,
    /// since that may go to the same place.
    template <std::size_t Width, std::size_t Vectors, bool Stream, Association association>
    [[gnu::always_inline]] static std::size_t sweep(const Prefixes<association>& data, std::size_t begin,
                                                    std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        for (; begin + Vectors * Width <= end; begin += Vectors * Width) {
            PrefixTiles<Op, Vector, Vectors, association> prefix;
            Vector operand[Vectors];
            load_tile<Stream>(operand, data.ins[0], begin);
            prefix.start(operand);
            for (int member = 1; member < data.count; ++member) {
                load_tile<Stream>(operand, data.ins[member], begin);
                store_tile<Stream>(data.outs[member - 1], begin, prefix.now, member - 1 == data.cached_out);
                prefix.go_on(operand, static_cast<unsigned>(member));
            }
            store_tile<Stream>(data.outs[data.count - 1], begin, prefix.now,
                               data.count - 1 == data.cached_out);
        }
        return begin;
    }

    /// Bytes [begin, end) that are no whole tile: vectors of half the width each time, down to one element.
    /// Widened lanes have more code, and so fewer widths.
    template <std::size_t Width, class Data>
    [[gnu::always_inline]] static void narrow(const Data& data, std::size_t begin, std::size_t end) {
        begin = sweep<Width, 1, false>(data, begin, end);
        if constexpr (Width > ElementBytes) {
            constexpr std::size_t next = is_widened<Lane> ? Width / 8 : Width / 2;
            narrow<(next > ElementBytes ? next : ElementBytes)>(data, begin, end);
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
                edge(any_number_of(data), begin, begin + head);
                begin += head;
            }
        }
        constexpr std::size_t wished = Stream ? streamed_tile_bytes : cached_tile_bytes_of<Data>;
        constexpr std::size_t tile_bytes = wished < most_tile_bytes<Lane> ? wished : most_tile_bytes<Lane>;
        begin = sweep<vector_bytes, tile_bytes / vector_bytes, Stream>(data, begin, end);
        if (begin < end) {
            edge(any_number_of(data), begin, end);
        }
    }

    template <class Data>
    static const Data& any_number_of(const Data& data) {
        return data;
    }
    template <int Count>
    static const AnyTree& any_number_of(const Tree<Count>& data) {
        return data;
    }

    /// Apart from reduce(), which so needs no stack frame for a single element.
    [[gnu::noinline]] static void reduce_several(void* out, const void* a, const void* b, std::size_t bytes) {
        const void* const ins[] = {a, b};
        run<false>(Reduction{&out, 1, ins, 2, -1}, 0, bytes);
    }

    /// Latency counts here: a message of one element is reduced between two exchanges.
    template <std::size_t WholeBytes>
    [[gnu::always_inline]] static void reduce_one(void* out, const void* a, const void* b) {
        using Element = typename VectorOf<Lane, WholeBytes>::type;
        Element result[1];
        load_tile<false>(result, a, 0);
        combine_with_next<Op, false>(result, b, 0);
        store_tile<false>(out, 0, result);
    }

    /// Reduces elements of so many bytes, each made of one number or of several that do not depend on each
    /// other.
    template <std::size_t WholeBytes>
    static void reduce(const void* /*state*/, void* out, const void* a, const void* b, std::size_t count) {
        if (count == 1) {
            return reduce_one<WholeBytes>(out, a, b);
        }
        reduce_several(out, a, b, count * WholeBytes);
    }

    static void reduce_many(const void* /*state*/, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            detail::StoreHints stores) {
        const Reduction data{outs, outs_count, ins, ins_count, stores.cached_out};
        const std::size_t bytes = count * ElementBytes;
        const bool moves = stores.move && bytes >= string_move_from_bytes;
        if (!moves && !stores.stream && ins_count <= same_in_both) {
            run<false>(data, 0, bytes); // data carried between two members has no time to lose
        } else if (moves && stores.cached_out >= 0 && outs_count > 1) {
            combine_and_move<Reduction>(&combine<false>, data, association, bytes);
        } else if (stores.stream || (moves && stores.cached_out < 0)) {
            // To the only place of another nothing can be moved from a place of one's own.
            combine<true>(data, association, 0, bytes);
            finish_streaming();
        } else {
            combine<false>(data, association, 0, bytes);
        }
    }

    static void scan_many(const void* /*state*/, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association,
                          detail::StoreHints stores) {
        const int first = exclusive ? 1 : 0;
        const int prefixes = members - first;
        const std::size_t bytes = count * ElementBytes;
        if constexpr (!has_one_result) {
            if (association == Association::tree && prefixes > same_in_both) {
                return scan_all(
                    Prefixes<Association::tree>{outs + first, ins, prefixes, stores.cached_out - first},
                    bytes, stores);
            }
        }
        scan_all(Prefixes<Association::left>{outs + first, ins, prefixes, stores.cached_out - first}, bytes,
                 stores);
    }

    /// Bytes [begin, end). Not inlined, since it is reached by address as well.
    template <bool Stream>
    [[gnu::noinline]] static void combine(const Reduction& data, Association association, std::size_t begin,
                                          std::size_t end) {
        if constexpr (!has_one_result) {
            if (association == Association::tree && data.ins_count > same_in_both) {
                return combine_tree<Stream>(data, begin, end);
            }
        }
        run<Stream>(data, begin, end);
    }

private:
    /// Integers, which wrap, have the same bits in any order.
    static constexpr bool has_one_result = std::is_integral_v<Lane>;

    template <bool Stream>
    static void combine_tree(const Reduction& data, std::size_t begin, std::size_t end) {
        if constexpr (Stream || is_widened<Lane> || std::is_same_v<Op, MultiplyComplex>) {
            // The memory or the operator is the limit, or stored values are rounded.
            run<Stream>(AnyTree{data, nullptr}, begin, end);
        } else if (is_few(data.ins_count)) {
            combine_few({data, nullptr}, begin, end);
        } else {
            combine_many(data, begin, end);
        }
    }

    /// Whether so many tiles can be combined in registers.
    static constexpr bool is_few(int count) {
        return count <= most_in_registers || (count == 2 * most_in_registers && vector_bytes >= 32);
    }

    [[gnu::noinline]] static void combine_few(const AnyTree& data, std::size_t begin, std::size_t end) {
        if constexpr (is_few(2 * most_in_registers)) {
            if (data.ins_count == 2 * most_in_registers) {
                return run<false>(Tree<2 * most_in_registers>{data}, begin, end);
            }
        }
        combine_up_to<most_in_registers>(data, begin, end);
    }

    template <int Count>
    [[gnu::always_inline]] static void combine_up_to(const AnyTree& data, std::size_t begin,
                                                     std::size_t end) {
        if (Count == 1 || data.ins_count == Count) {
            run<false>(Tree<Count>{data}, begin, end);
        } else {
            combine_up_to<(Count > 1 ? Count - 1 : 1)>(data, begin, end);
        }
    }

    [[gnu::noinline]] static void combine_many(const Reduction& data, std::size_t begin, std::size_t end) {
        alignas(line_bytes) char place[partial_results_bytes];
        const Room room{place, part_bytes_for(data.ins_count)};
        // All parts except the first start where the first output has a whole vector.
        const std::size_t head = (reinterpret_cast<std::uintptr_t>(data.outs[0]) + begin) % vector_bytes;
        std::size_t stop = begin + room.part_bytes - (head % ElementBytes == 0 ? head : 0);
        for (; begin < end; begin = stop, stop += room.part_bytes) {
            stop = stop < end ? stop : end;
            combine_part(data, begin, stop, room);
        }
    }

    /// Bytes [begin, end), which fit into a part of `room`.
    [[gnu::noinline]] static void combine_part(const Reduction& data, std::size_t begin, std::size_t end,
                                               Room room) {
        if (is_few(data.ins_count)) {
            return combine_few({data, nullptr}, begin, end);
        }
        const int left = left_part_of(data.ins_count);
        Reduction rest{data.outs, data.outs_count, data.ins + left, data.ins_count - left, data.cached_out};
        void* const lower = base_of(room.place, begin);
        combine_part({&lower, 1, data.ins, left, -1}, begin, end, room);
        void* const upper = base_of(room.behind_a_part().place, begin);
        const void* const combined = upper;
        if (!is_few(rest.ins_count)) {
            combine_part({&upper, 1, rest.ins, rest.ins_count, -1}, begin, end, room.behind_a_part());
            rest.ins = &combined;
            rest.ins_count = 1;
        }
        combine_few({rest, lower}, begin, end);
    }

    template <Association association>
    [[gnu::noinline]] static void scan_all(const Prefixes<association>& data, std::size_t bytes,
                                           detail::StoreHints stores) {
        const bool has_others = data.count > (data.cached_out >= 0 ? 1 : 0);
        if (stores.move && has_others && data.count <= most_moved_prefixes &&
            bytes >= string_move_from_bytes) {
            scan_and_move<association>(&run_cached<association>, data, bytes);
        } else if (data.count > 0 && stores.stream) {
            run<true>(data, 0, bytes);
            finish_streaming();
        } else if (data.count > 0) {
            run_cached(data, 0, bytes);
        }
    }

    template <Association association>
    [[gnu::noinline]] static void run_cached(const Prefixes<association>& data, std::size_t begin,
                                             std::size_t end) {
        run<false>(data, begin, end);
    }
};

} // namespace
} // namespace tutti::kernel
