#pragma once

// The loops of operators that few programs reduce long vectors with. Operands are combined two at a time in a
// part that stays in the nearest cache, and the result is copied from there: a tenth of the code that
// loops.hpp makes of an operator, which the compiler would take as long for as for a sum. For operators whose
// bits do not depend on the association: those on integers, and minimum and maximum, which take the bits of
// floating-point numbers for integers. As in loops.hpp, everything has internal linkage.

#include "kernel/loops.hpp"

namespace tutti::kernel {
namespace {

constexpr std::size_t part_bytes = 2048; // NOLINT(misc-definitions-in-headers)
static_assert(part_bytes >= string_move_from_bytes, "or nothing moves");

template <Isa isa, class Lane, class Op>
struct PartLoops {
    static_assert(std::is_integral_v<Lane>);

    static void reduce(const void* /*state*/, void* out, const void* a, const void* b, std::size_t count) {
        combine(out, a, b, count * sizeof(Lane));
    }

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            detail::StoreHints stores) {
        const std::size_t bytes = count * sizeof(Lane);
        if (ins_count == 1) {
            return bitwise<isa, Operator::bor>().reduce_many(state, outs, outs_count, ins, 1, bytes,
                                                             association, stores);
        }
        if (ins_count == 2 && outs_count == 1 && !stores.stream && !stores.move) {
            return combine(outs[0], ins[0], ins[1], bytes);
        }
        alignas(line_bytes) char part[part_bytes];
        for (std::size_t begin = 0; begin < bytes; begin += part_bytes) {
            const std::size_t end = bytes - begin < part_bytes ? bytes : begin + part_bytes;
            combine(part, at(ins[0], begin), at(ins[1], begin), end - begin);
            for (int source = 2; source < ins_count; ++source) {
                combine(part, part, at(ins[source], begin), end - begin);
            }
            copy_part<isa>(outs, outs_count, base_of(part, begin), begin, end, stores);
        }
        finish(stores);
    }

    static void scan_many(const void* /*state*/, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association /*association*/,
                          detail::StoreHints stores) {
        const int first = exclusive ? 1 : 0;
        const std::size_t bytes = count * sizeof(Lane);
        alignas(line_bytes) char parts[2][part_bytes];
        for (std::size_t begin = 0; begin < bytes; begin += part_bytes) {
            const std::size_t end = bytes - begin < part_bytes ? bytes : begin + part_bytes;
            const void* prefix = ins[0];
            for (int member = first; member < members; ++member) {
                const void* const own = prefix;
                const int next = member - first + 1;
                if (next < members - first) {
                    // Before the prefix is stored, which may go to the same place as the operand.
                    combine(parts[next % 2], at(prefix, begin), at(ins[next], begin), end - begin);
                    prefix = base_of(parts[next % 2], begin);
                }
                detail::StoreHints to_this = stores;
                to_this.cached_out = member == stores.cached_out ? 0 : -1;
                copy_part<isa>(outs + member, 1, own, begin, end, to_this);
            }
        }
        finish(stores);
    }

private:
    [[gnu::always_inline]] static const void* at(const void* base, std::size_t offset) {
        return static_cast<const char*>(base) + offset;
    }

    static void finish(detail::StoreHints stores) {
        if (stores.stream) {
            finish_streaming();
        }
    }

    /// `out` may be either.
    [[gnu::noinline]] static void combine(void* out, const void* a, const void* b, std::size_t bytes) {
        const std::size_t rest = combine_vectors<vector_bytes>(out, a, b, 0, bytes);
        combine_vectors<sizeof(Lane)>(out, a, b, rest, bytes);
    }

    /// As far as whole vectors go; returns where it stopped.
    template <std::size_t Width>
    [[gnu::always_inline]] static std::size_t combine_vectors(void* out, const void* a, const void* b,
                                                              std::size_t begin, std::size_t end) {
        using Vector = typename VectorOf<Lane, Width>::type;
        for (; begin + Width <= end; begin += Width) {
            store(out, begin, Op::apply(load<Vector>(a, begin), load<Vector>(b, begin)));
        }
        return begin;
    }
};

} // namespace
} // namespace tutti::kernel
