#pragma once

#include "kernel/entries.hpp"

// The loops of bitwise operators, and copies. As in loops.hpp, all except the specialisations have internal
// linkage.
namespace tutti::kernel {
namespace {

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
