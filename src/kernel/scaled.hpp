#pragma once

// The loops of sums with factors, such as means: one sweep for reductions and scans, which multiplies in
// registers. As in loops.hpp, everything has internal linkage.

#include "kernel/entries.hpp"

#include <tutti/detail/scaled_sums.hpp>

namespace tutti::kernel {

/// The kernels of scaled_sums(), compiled for one instruction set.
template <Isa isa, Type type>
const detail::Kernels& scaled();

namespace {

struct Scaled : Reduction {
    detail::Scale scale;
};

template <Isa isa, Type type>
struct ScaledLoops {
    using Lane = typename LaneOf<type>::type;
    using Real = std::conditional_t<type == Type::f64, double, float>;
    using Op = std::conditional_t<is_widened<Lane>, OnWidened<Add>, Add>;
    static constexpr std::size_t lane_bytes = detail::bytes_of(type);

    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        const void* const ins[] = {a, b};
        reduce_many(state, &out, 1, ins, 2, count, Association::left, {});
    }

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            detail::StoreHints stores) {
        const Scaled data{{outs, outs_count, ins, ins_count, stores.cached_out}, scale_in(state)};
        const std::size_t bytes = count * lane_bytes;
        if (stores.move && stores.cached_out >= 0 && outs_count > 1 && bytes >= string_move_from_bytes) {
            return combine_and_move<Scaled>(&combine, data, association, bytes);
        }
        run<false>(data, association, 0, bytes, stores.stream || stores.move);
    }

    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association,
                          detail::StoreHints stores) {
        const int first = exclusive ? 1 : 0;
        const int prefixes = members - first;
        if (prefixes > 0) {
            run<true>({{outs + first, prefixes, ins, prefixes, stores.cached_out - first}, scale_in(state)},
                      association, 0, count * lane_bytes, stores.stream);
        }
    }

    static constexpr detail::Kernels made{&reduce, &reduce_many, &scan_many, nullptr};

private:
    static const detail::Scale& scale_in(const void* state) {
        return *static_cast<const detail::Scale*>(state);
    }

    static void combine(const Scaled& data, Association association, std::size_t begin, std::size_t end) {
        run<false>(data, association, begin, end, false);
    }

    template <bool prefixes>
    static void run(const Scaled& data, Association association, std::size_t begin, std::size_t end,
                    bool stream) {
        const bool is_tree = association == Association::tree && data.ins_count > same_in_both;
        if (stream) {
            is_tree ? run_in<Association::tree, prefixes, true>(data, begin, end)
                    : run_in<Association::left, prefixes, true>(data, begin, end);
            finish_streaming();
        } else {
            is_tree ? run_in<Association::tree, prefixes, false>(data, begin, end)
                    : run_in<Association::left, prefixes, false>(data, begin, end);
        }
    }

    template <Association association, bool prefixes, bool Stream>
    [[gnu::noinline]] static void run_in(const Scaled& data, std::size_t begin, std::size_t end) {
        const std::size_t head = -(reinterpret_cast<std::uintptr_t>(data.outs[0]) + begin) % vector_bytes;
        if (end - begin >= align_from_bytes && head != 0 && head % lane_bytes == 0) {
            edge<association, prefixes>(data, begin, begin + head);
            begin += head;
        }
        constexpr std::size_t tile_bytes = Stream ? streamed_tile_bytes : cached_tile_bytes;
        constexpr std::size_t most = most_tile_bytes<Lane> < tile_bytes ? most_tile_bytes<Lane> : tile_bytes;
        begin = sweep<association, prefixes, Stream, vector_bytes, most / vector_bytes>(data, begin, end);
        if (begin < end) {
            edge<association, prefixes>(data, begin, end);
        }
    }

    template <Association association, bool prefixes>
    [[gnu::noinline]] static void edge(const Scaled& data, std::size_t begin, std::size_t end) {
        narrow<association, prefixes, vector_bytes>(data, begin, end);
    }

    template <Association association, bool prefixes, std::size_t Width>
    [[gnu::always_inline]] static void narrow(const Scaled& data, std::size_t begin, std::size_t end) {
        begin = sweep<association, prefixes, false, Width, 1>(data, begin, end);
        if constexpr (Width > lane_bytes) {
            constexpr std::size_t next = Width / 4;
            narrow<association, prefixes, (next > lane_bytes ? next : lane_bytes)>(data, begin, end);
        }
    }

    /// The factor or divisor of a sum of so many operands. The product with a power of two equals the
    /// quotient.
    struct Last {
        [[gnu::always_inline]] Last(const detail::Scale& scale, int operands)
            : divides(scale.is_mean && (operands & (operands - 1)) != 0),
              factor(!scale.is_mean ? static_cast<Real>(scale.after)
                     : divides      ? static_cast<Real>(operands)
                                    : 1 / static_cast<Real>(operands)) {}

        template <class Vector, std::size_t Vectors>
        [[gnu::always_inline]] void apply(Vector (&sum)[Vectors]) const {
            const Real by = factor;
            if (divides) {
                change(
                    sum, [by](auto lanes) __attribute__((always_inline)) { return lanes / by; });
            } else {
                change(
                    sum, [by](auto lanes) __attribute__((always_inline)) { return lanes * by; });
            }
        }

        bool divides;
        Real factor;
    };

    /// tile = f(tile).
    template <class Vector, std::size_t Vectors, class F>
    [[gnu::always_inline]] static void change(Vector (&tile)[Vectors], F f) {
        for (std::size_t v = 0; v < Vectors; ++v) {
            if constexpr (is_widened<Lane>) {
                for (std::size_t p = 0; p < Vector::parts; ++p) {
                    tile[v].part[p] = f(tile[v].part[p]);
                }
            } else {
                tile[v] = f(tile[v]);
            }
        }
    }

    /// Whole tiles of bytes [begin, end); returns where it stopped. A tile of an operand is read before the
    /// prefix before it is stored, since that may go to the same place.
    template <Association association, bool prefixes, bool Stream, std::size_t Width, std::size_t Vectors>
    [[gnu::always_inline]] static std::size_t sweep(const Scaled& data, std::size_t begin, std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        const auto before = static_cast<Real>(data.scale.before);
        const auto take = [&](int source, Vector(&operand)[Vectors]) __attribute__((always_inline)) {
            load_tile<Stream>(operand, data.ins[source], begin);
            if (before != 1) {
                change(
                    operand, [before](auto lanes) __attribute__((always_inline)) { return lanes * before; });
            }
        };
        const auto put = [&](int out, Vector(&result)[Vectors]) __attribute__((always_inline)) {
            store_tile<Stream>(data.outs[out], begin, result, out == data.cached_out);
        };
        const Last last(data.scale, data.ins_count);
        for (; begin + Vectors * Width <= end; begin += Vectors * Width) {
            PrefixTiles<Op, Vector, Vectors, association> prefix;
            Vector operand[Vectors];
            take(0, operand);
            prefix.start(operand);
            for (int source = 1; source < data.ins_count; ++source) {
                take(source, operand);
                if constexpr (prefixes) {
                    Vector result[Vectors];
                    combine_tiles<First>(result, prefix.now, prefix.now);
                    Last(data.scale, source).apply(result);
                    put(source - 1, result);
                }
                prefix.go_on(operand, static_cast<unsigned>(source));
            }
            last.apply(prefix.now);
            for (int out = prefixes ? data.outs_count - 1 : 0; out < data.outs_count; ++out) {
                put(out, prefix.now);
            }
        }
        return begin;
    }
};

} // namespace
} // namespace tutti::kernel

#define TUTTI_SCALED(isa, type)                                                                              \
    template <>                                                                                              \
    const tutti::detail::Kernels& tutti::kernel::scaled<tutti::kernel::Isa::isa, tutti::Type::type>() {      \
        return ScaledLoops<Isa::isa, Type::type>::made;                                                      \
    }
// For the object file of the narrowest instruction set only.
#define TUTTI_CHOSEN_SCALED(type)                                                                            \
    template <>                                                                                              \
    const tutti::detail::Kernels& tutti::detail::scaled_sums<tutti::Type::type>() {                          \
        return kernel::in_isa(kernel::chosen_isa(), []<kernel::Isa isa>() -> const Kernels& {                \
            return kernel::scaled<isa, Type::type>();                                                        \
        });                                                                                                  \
    }
