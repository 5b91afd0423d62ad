#pragma once

// What the object files of kernels define. As in loops.hpp, all except the specialisations has internal
// linkage and calls nothing that might be emitted elsewhere. First the loops of the fixed tree over one range
// of terms (detail/kernels.hpp describes it).

#include "kernel/part_loops.hpp"

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

// The loops for the operators of a type.

template <Type>
struct LaneOf;
// clang-format off
template <> struct LaneOf<Type::i8>  { using type = std::int8_t; };
template <> struct LaneOf<Type::u8>  { using type = std::uint8_t; };
template <> struct LaneOf<Type::i16> { using type = std::int16_t; };
template <> struct LaneOf<Type::u16> { using type = std::uint16_t; };
template <> struct LaneOf<Type::i32> { using type = std::int32_t; };
template <> struct LaneOf<Type::u32> { using type = std::uint32_t; };
template <> struct LaneOf<Type::i64> { using type = std::int64_t; };
template <> struct LaneOf<Type::u64> { using type = std::uint64_t; };
template <> struct LaneOf<Type::f32> { using type = float; };
template <> struct LaneOf<Type::f64> { using type = double; };
template <> struct LaneOf<Type::f16> { using type = Float16Lane; };
template <> struct LaneOf<Type::bf16> { using type = BFloat16Lane; };
template <> struct LaneOf<Type::complex64> { using type = float; };
template <> struct LaneOf<Type::complex128> { using type = double; };
// clang-format on

template <class Lane, class Op, std::size_t ElementBytes = sizeof(Lane)>
constexpr detail::Kernels kernels{&Loops<Lane, Op, ElementBytes>::template reduce<ElementBytes>,
                                  &Loops<Lane, Op, ElementBytes>::reduce_many,
                                  &Loops<Lane, Op, ElementBytes>::scan_many,
                                  &Fold<Lane, Op, ElementBytes>::fold};

/// For 16-bit floating-point numbers, which have no fixed tree: it would round in each node.
template <class Lane, class Op, std::size_t bytes = sizeof(std::uint16_t)>
constexpr detail::Kernels on_widened{&Loops<Lane, OnWidened<Op>, bytes>::template reduce<bytes>,
                                     &Loops<Lane, OnWidened<Op>, bytes>::reduce_many,
                                     &Loops<Lane, OnWidened<Op>, bytes>::scan_many, nullptr};

template <Isa isa, class Lane, class Op>
constexpr detail::Kernels in_parts{&PartLoops<isa, Lane, Op>::reduce, &PartLoops<isa, Lane, Op>::reduce_many,
                                   &PartLoops<isa, Lane, Op>::scan_many, &Fold<Lane, Op, sizeof(Lane)>::fold};

/// The loops over lanes, for elements of several lanes that do not depend on each other: one code for all
/// such types, which is in another object file. kernels_of_lane() has the loops for elements of one lane.
template <class Lane, class Op, std::size_t ElementBytes, const detail::Kernels& (*kernels_of_lane)()>
struct ByLanes {
    static constexpr std::size_t lanes = ElementBytes / sizeof(Lane);

    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        if (count == 1) {
            Loops<Lane, Op, sizeof(Lane)>::template reduce_one<ElementBytes>(out, a, b);
        } else {
            kernels_of_lane().reduce(state, out, a, b, count * lanes);
        }
    }
    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            detail::StoreHints stores) {
        kernels_of_lane().reduce_many(state, outs, outs_count, ins, ins_count, count * lanes, association,
                                      stores);
    }
    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association,
                          detail::StoreHints stores) {
        kernels_of_lane().scan_many(state, outs, ins, members, count * lanes, exclusive, association, stores);
    }

    /// The fold of a lane leaves the lanes of a row apart, and combines those of a chunk, which is thus
    /// folded in halves.
    static void fold(const void* state, void* out, const void* in, std::size_t rows) {
        if (rows < detail::fold_chunk_rows) {
            return kernels_of_lane().fold(state, out, in, rows);
        }
        constexpr std::size_t half = detail::fold_chunk_rows / 2;
        char halves[2][detail::fold_row_bytes];
        kernels_of_lane().fold(state, halves[0], in, half);
        kernels_of_lane().fold(state, halves[1], static_cast<const char*>(in) + half * detail::fold_row_bytes,
                               half);
        Fold<Lane, Op, ElementBytes>::template combine_lanes<sizeof halves>(out, halves);
    }

    static constexpr detail::Kernels made{&reduce, &reduce_many, &scan_many, &fold};
};

/// Programs only add long buffers of 8-bit and 16-bit integers, or copy them; other operators have the
/// smaller loops in parts.
template <Isa isa, class Lane, class Op>
constexpr detail::Kernels kernels_by_size() {
    if constexpr (sizeof(Lane) < sizeof(std::int32_t)) {
        return in_parts<isa, Lane, Op>;
    } else {
        return kernels<Lane, Op>;
    }
}

template <Isa isa, Type type>
constexpr detail::Kernels sum_entry() {
    using Lane = typename LaneOf<type>::type;
    if constexpr (std::is_integral_v<Lane>) {
        return kernels<std::make_unsigned_t<Lane>, Add>;
    } else if constexpr (is_widened<Lane>) {
        return on_widened<Lane, Add>;
    } else if constexpr (type == Type::complex64) {
        return ByLanes<Lane, Add, 2 * sizeof(Lane), &sum<isa, Type::f32>>::made;
    } else if constexpr (type == Type::complex128) {
        return ByLanes<Lane, Add, 2 * sizeof(Lane), &sum<isa, Type::f64>>::made;
    } else {
        return kernels<Lane, Add>;
    }
}

/// min or max of floating-point numbers.
template <Isa isa, Type type, Operator op>
constexpr detail::Kernels extreme() {
    constexpr std::size_t bytes = detail::bytes_of(type);
    constexpr int fraction_bits = type == Type::f64   ? 52
                                  : type == Type::f32 ? 23
                                  : type == Type::f16 ? 10
                                                      : 7;
    using Bits =
        std::conditional_t<bytes == sizeof(std::int64_t), std::int64_t,
                           std::conditional_t<bytes == sizeof(std::int32_t), std::int32_t, std::int16_t>>;
    using Op = std::conditional_t<op == Operator::min, MinFloat<fraction_bits>, MaxFloat<fraction_bits>>;
    return kernels_by_size<isa, Bits, Op>();
}

/// The entry of an operator other than the sum.
template <Isa isa, Type type, Operator op>
constexpr detail::Kernels entry() {
    using Lane = typename LaneOf<type>::type;
    constexpr bool complex = type == Type::complex64 || type == Type::complex128;
    if constexpr (op == Operator::sum || !detail::has_builtin(type, op)) {
        return {};
    } else if constexpr (std::is_integral_v<Lane>) {
        using Unsigned = std::make_unsigned_t<Lane>;
        switch (op) {
        case Operator::prod:
            return kernels_by_size<isa, Unsigned, Multiply>();
        case Operator::min:
            return kernels_by_size<isa, Lane, Min>();
        case Operator::max:
            return kernels_by_size<isa, Lane, Max>();
        case Operator::land:
            return in_parts<isa, Unsigned, BothNonzero>;
        case Operator::lor:
            return in_parts<isa, Unsigned, AnyNonzero>;
        case Operator::lxor:
            return in_parts<isa, Unsigned, OneNonzero>;
        // Bits are the same whatever lanes they are in.
        case Operator::band:
            return ByLanes<std::uint8_t, And, sizeof(Lane), &bitwise<isa, Operator::band>>::made;
        case Operator::bor:
            return ByLanes<std::uint8_t, Or, sizeof(Lane), &bitwise<isa, Operator::bor>>::made;
        case Operator::bxor:
            return ByLanes<std::uint8_t, Xor, sizeof(Lane), &bitwise<isa, Operator::bxor>>::made;
        case Operator::sum:
        case Operator::callable:
            break;
        }
        return {};
    } else if constexpr (detail::is_extreme(op)) {
        return extreme<isa, type, op>();
    } else if constexpr (is_widened<Lane>) {
        return WidenedLoops<isa, Lane, op>::made;
    } else if constexpr (op == Operator::prod && complex) {
        return kernels<Lane, MultiplyComplex, 2 * sizeof(Lane)>;
    } else {
        return kernels<Lane, Multiply>;
    }
}

template <Isa isa, Type type, std::size_t... Op>
const detail::Kernels& other_kernels(Operator op, std::index_sequence<Op...> /*operators*/) {
    static constexpr detail::Kernels all[] = {entry<isa, type, static_cast<Operator>(Op)>()...};
    return all[static_cast<std::size_t>(op)];
}

// The loops of bitwise operators are those of loops.hpp; copies are here.

/// Any reduction of bytes with a single input copies them.
using Copies = Loops<std::uint8_t, Or, 1>;

inline void copy(const Reduction& data, std::size_t begin, std::size_t end, detail::StoreHints stores) {
    if (!stores.move || end - begin < string_move_from_bytes) {
        return stores.stream ? Copies::combine<true>(data, Association::left, begin, end)
                             : Copies::combine<false>(data, Association::left, begin, end);
    }
    for (int destination = 0; destination < data.outs_count; ++destination) {
        if (destination == data.cached_out) {
            const Reduction own{data.outs + destination, 1, data.ins, 1, -1};
            Copies::combine<false>(own, Association::left, begin, end);
        } else {
            move(data.outs[destination], data.ins[0], begin, end);
        }
    }
}

} // namespace
} // namespace tutti::kernel

// Definitions of an object file, of which CMake makes the source.
#define TUTTI_SUM(isa, type)                                                                                 \
    template <>                                                                                              \
    const tutti::detail::Kernels& tutti::kernel::sum<tutti::kernel::Isa::isa, tutti::Type::type>() {         \
        static constexpr detail::Kernels kernels = sum_entry<Isa::isa, Type::type>();                        \
        return kernels;                                                                                      \
    }
#define TUTTI_OTHERS(isa, type)                                                                              \
    template <>                                                                                              \
    const tutti::detail::Kernels& tutti::kernel::others<tutti::kernel::Isa::isa, tutti::Type::type>(         \
        Operator op) {                                                                                       \
        return other_kernels<Isa::isa, Type::type>(op, std::make_index_sequence<operator_count>{});          \
    }
// For the object file of the narrowest instruction set only.
#define TUTTI_BUILTIN_SUM(type)                                                                              \
    template <>                                                                                              \
    const tutti::detail::Kernels& tutti::detail::builtin_sum<tutti::Type::type>(Operator /*op*/) {           \
        return kernel::sum_in<Type::type>(kernel::chosen_isa());                                             \
    }
#define TUTTI_BUILTIN_OTHERS(type)                                                                           \
    template <>                                                                                              \
    const tutti::detail::Kernels& tutti::detail::builtin<tutti::Type::type>(Operator op) {                   \
        return kernel::kernels_in<Type::type>(kernel::chosen_isa(), op);                                     \
    }

#define TUTTI_BITWISE_OPERATOR(isa, op, Op)                                                                  \
    template <>                                                                                              \
    const tutti::detail::Kernels& tutti::kernel::bitwise<tutti::kernel::Isa::isa, tutti::Operator::op>() {   \
        return kernels<std::uint8_t, Op>;                                                                    \
    }
#define TUTTI_BITWISE(isa)                                                                                   \
    TUTTI_BITWISE_OPERATOR(isa, band, And)                                                                   \
    TUTTI_BITWISE_OPERATOR(isa, bor, Or)                                                                     \
    TUTTI_BITWISE_OPERATOR(isa, bxor, Xor)                                                                   \
    template <>                                                                                              \
    void tutti::kernel::copy_part<tutti::kernel::Isa::isa>(void* const* outs, int outs_count,                \
                                                           const void* in, std::size_t begin,                \
                                                           std::size_t end, detail::StoreHints stores) {     \
        copy({outs, outs_count, &in, 1, stores.cached_out}, begin, end, stores);                             \
    }
