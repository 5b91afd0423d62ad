#pragma once

#include "kernel/loops.hpp"
#include "kernel/pairs.hpp"

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
template <> struct LaneOf<Type::c32> { using type = float; };
template <> struct LaneOf<Type::c64> { using type = double; };
// clang-format on

/// The fused loops, which reductions that programs spend time in have; in elements of several lanes as well.
template <class Lane, class Op, std::size_t ElementBytes = sizeof(Lane)>
struct Fused {
    using Own = Loops<Lane, Op, sizeof(Lane)>;
    static constexpr std::size_t lanes = ElementBytes / sizeof(Lane);

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Brackets brackets, detail::Stores stores) {
        Own::reduce_many(state, outs, outs_count, ins, ins_count, count * lanes, brackets, stores);
    }
    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Brackets brackets, detail::Stores stores) {
        Own::scan_many(state, outs, ins, members, count * lanes, exclusive, brackets, stores);
    }

    static constexpr auto reduce = &Pairs<Lane, Op, sizeof(Lane)>::template reduce<ElementBytes>;
    static constexpr detail::Kernels kernels =
        lanes == 1 ? detail::Kernels{reduce, &Own::reduce_many, &Own::scan_many}
                   : detail::Kernels{reduce, &reduce_many, &scan_many};
};

template <class Lane, class Op, std::size_t ElementBytes = sizeof(Lane)>
constexpr detail::Kernels fused = Fused<Lane, Op, ElementBytes>::kernels;

/// Those that others have.
template <class Lane, class Op, std::size_t ElementBytes = sizeof(Lane), std::size_t UnitBytes = sizeof(Lane)>
constexpr detail::Kernels in_pieces = InPieces<Lane, Op, UnitBytes, ElementBytes>::kernels;

/// Of 4 and 8 bytes, that is, of an int and a long.
template <class Lane, class Op>
constexpr detail::Kernels integer() {
    if constexpr (sizeof(Lane) >= sizeof(std::int32_t)) {
        return fused<Lane, Op>;
    } else {
        return in_pieces<Lane, Op>;
    }
}

template <Type type, Operator op>
constexpr detail::Kernels entry() {
    using Lane = typename LaneOf<type>::type;
    constexpr bool complex = type == Type::c32 || type == Type::c64;
    if constexpr (std::is_integral_v<Lane>) {
        using Unsigned = std::make_unsigned_t<Lane>;
        switch (op) {
        case Operator::sum:
            return integer<Unsigned, Add>();
        case Operator::prod:
            return integer<Unsigned, Multiply>();
        case Operator::min:
            return integer<Lane, Minimum>();
        case Operator::max:
            return integer<Lane, Maximum>();
        case Operator::land:
            return in_pieces<Unsigned, BothNonzero>;
        case Operator::lor:
            return in_pieces<Unsigned, AnyNonzero>;
        case Operator::lxor:
            return in_pieces<Unsigned, OneNonzero>;
        // Bits are the same whatever lanes they are in.
        case Operator::band:
            return in_pieces<std::uint8_t, And, sizeof(Lane)>;
        case Operator::bor:
            return fused<std::uint8_t, Or, sizeof(Lane)>;
        case Operator::bxor:
            return in_pieces<std::uint8_t, Xor, sizeof(Lane)>;
        case Operator::callable:
            break;
        }
        return {};
    } else if constexpr (op == Operator::sum) {
        return fused < Lane, Add, complex ? 2 * sizeof(Lane) : sizeof(Lane) > ;
    } else if constexpr (op == Operator::prod && complex) {
        return in_pieces<Lane, MultiplyComplex, 2 * sizeof(Lane), 2 * sizeof(Lane)>;
    } else if constexpr (op == Operator::prod) {
        return fused<Lane, Multiply>;
    } else if constexpr (op == Operator::min && !complex) {
        return fused<Lane, Minimum>;
    } else if constexpr (op == Operator::max && !complex) {
        return fused<Lane, Maximum>;
    } else {
        return {};
    }
}

template <std::size_t... Pair>
constexpr Table make_table(const char* isa, std::index_sequence<Pair...> /*pairs*/) {
    return {
        isa,
        {entry<static_cast<Type>(Pair / operator_count), static_cast<Operator>(Pair % operator_count)>()...}};
}

constexpr Table make_table(const char* isa) {
    return make_table(isa, std::make_index_sequence<type_count * operator_count>{});
}

} // namespace
} // namespace tutti::kernel
