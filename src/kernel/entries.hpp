#pragma once

#include "kernel/deposit.hpp"
#include "kernel/fold.hpp"
#include "kernel/loops.hpp"
#include "kernel/part_loops.hpp"

// The loops for every pair of a type and an operator. As in loops.hpp, everything has internal linkage.
namespace tutti::kernel {
namespace {

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
template <> struct LaneOf<Type::complex64> { using type = float; };
template <> struct LaneOf<Type::complex128> { using type = double; };
// clang-format on

template <class Lane, class Op, std::size_t ElementBytes = sizeof(Lane)>
constexpr detail::Kernels kernels{&Loops<Lane, Op, ElementBytes>::template reduce<ElementBytes>,
                                  &Loops<Lane, Op, ElementBytes>::reduce_many,
                                  &Loops<Lane, Op, ElementBytes>::scan_many,
                                  &Fold<Lane, Op, ElementBytes>::fold};

template <class Lane, class Op>
constexpr detail::Kernels in_parts{&PartLoops<Lane, Op>::reduce, &PartLoops<Lane, Op>::reduce_many,
                                   &PartLoops<Lane, Op>::scan_many, &Fold<Lane, Op, sizeof(Lane)>::fold};

/// The loops over lanes, for elements of several lanes that do not depend on each other: one code for all
/// such types.
template <class Lane, class Op, std::size_t ElementBytes>
struct ByLanes {
    using Own = Loops<Lane, Op, sizeof(Lane)>;
    static constexpr std::size_t lanes = ElementBytes / sizeof(Lane);

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            detail::StoreHints stores) {
        Own::reduce_many(state, outs, outs_count, ins, ins_count, count * lanes, association, stores);
    }
    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association,
                          detail::StoreHints stores) {
        Own::scan_many(state, outs, ins, members, count * lanes, exclusive, association, stores);
    }
};

template <class Lane, class Op, std::size_t ElementBytes>
constexpr detail::Kernels by_lanes{&Loops<Lane, Op, sizeof(Lane)>::template reduce<ElementBytes>,
                                   &ByLanes<Lane, Op, ElementBytes>::reduce_many,
                                   &ByLanes<Lane, Op, ElementBytes>::scan_many,
                                   &Fold<Lane, Op, ElementBytes>::fold};

/// Of integers of 8 and 16 bits, programs have long vectors to add, or to copy as bytes; the rest in parts.
template <class Lane, class Op>
constexpr detail::Kernels kernels_by_size() {
    if constexpr (sizeof(Lane) < sizeof(std::int32_t)) {
        return in_parts<Lane, Op>;
    } else {
        return kernels<Lane, Op>;
    }
}

template <Type type, Operator op>
constexpr detail::Kernels entry() {
    using Lane = typename LaneOf<type>::type;
    constexpr bool complex = type == Type::complex64 || type == Type::complex128;
    if constexpr (std::is_integral_v<Lane>) {
        using Unsigned = std::make_unsigned_t<Lane>;
        switch (op) {
        case Operator::sum:
            return kernels<Unsigned, Add>;
        case Operator::prod:
            return kernels_by_size<Unsigned, Multiply>();
        case Operator::min:
            return kernels_by_size<Lane, Minimum>();
        case Operator::max:
            return kernels_by_size<Lane, Maximum>();
        case Operator::land:
            return in_parts<Unsigned, BothNonzero>;
        case Operator::lor:
            return in_parts<Unsigned, AnyNonzero>;
        case Operator::lxor:
            return in_parts<Unsigned, OneNonzero>;
        // Bits are the same whatever lanes they are in.
        case Operator::band:
            return by_lanes<std::uint8_t, And, sizeof(Lane)>;
        case Operator::bor:
            return by_lanes<std::uint8_t, Or, sizeof(Lane)>;
        case Operator::bxor:
            return by_lanes<std::uint8_t, Xor, sizeof(Lane)>;
        case Operator::callable:
            break;
        }
        return {};
    } else if constexpr (op == Operator::sum && complex) {
        return by_lanes<Lane, Add, 2 * sizeof(Lane)>;
    } else if constexpr (op == Operator::sum) {
        return kernels<Lane, Add>;
    } else if constexpr (op == Operator::prod && complex) {
        return kernels<Lane, MultiplyComplex, 2 * sizeof(Lane)>;
    } else if constexpr (op == Operator::prod) {
        return kernels<Lane, Multiply>;
    } else if constexpr (op == Operator::min && !complex) {
        return kernels<Lane, Minimum>;
    } else if constexpr (op == Operator::max && !complex) {
        return kernels<Lane, Maximum>;
    } else {
        return {};
    }
}

template <std::size_t... Pair>
constexpr Table make_table(const char* isa, std::index_sequence<Pair...> /*pairs*/) {
    return {
        isa,
        {deposits_of<2>, deposits_of<3>},
        {entry<static_cast<Type>(Pair / operator_count), static_cast<Operator>(Pair % operator_count)>()...}};
}

constexpr Table make_table(const char* isa) {
    return make_table(isa, std::make_index_sequence<type_count * operator_count>{});
}

} // namespace
} // namespace tutti::kernel
