#pragma once

// The loops of operators that few programs reduce long vectors with. Operands are combined two at a time in a
// part that stays in the nearest cache, and the result is copied from there: a tenth of the code that
// loops.hpp makes of an operator, which the compiler would take as long for as for a sum. For operators whose
// bits do not depend on the association: those on integers, and min and max, which take the bits of
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

// The loops of 16-bit floating-point numbers for operators other than the sum, which few programs reduce long
// vectors with. A part of each operand is widened to floats that stay in the nearest cache, the kernels of
// float combine these, and the result is rounded once: a fraction of the code that loops.hpp would make of
// each operator.

/// Operands of a part as floats, in an order of lanes that is the same for all operands.
template <class Lane>
class WidenedPart {
public:
    static constexpr std::size_t most_lanes = 256;

    [[gnu::noinline]] void widen(const void* in, std::size_t begin, std::size_t lanes) {
        std::size_t lane = 0;
        for (; lane + lanes_at_once <= lanes; lane += lanes_at_once) {
            widen_at<lanes_at_once>(in, begin, lane);
        }
        for (; lane < lanes; ++lane) {
            widen_at<1>(in, begin, lane);
        }
    }

    [[gnu::noinline]] void round(void* out, std::size_t lanes) const {
        std::size_t lane = 0;
        for (; lane + lanes_at_once <= lanes; lane += lanes_at_once) {
            round_at<lanes_at_once>(out, lane);
        }
        for (; lane < lanes; ++lane) {
            round_at<1>(out, lane);
        }
    }

    float* floats() { return floats_; }

private:
    static constexpr std::size_t lanes_at_once = vector_bytes / sizeof(std::uint16_t);

    template <std::size_t Count>
    [[gnu::always_inline]] void widen_at(const void* in, std::size_t begin, std::size_t lane) {
        Widened<Lane, Count> tile[1];
        load_tile<false>(tile, in, begin + lane * sizeof(std::uint16_t));
        __builtin_memcpy(floats_ + lane, tile, sizeof tile);
    }

    template <std::size_t Count>
    [[gnu::always_inline]] void round_at(void* out, std::size_t lane) const {
        Widened<Lane, Count> tile[1];
        __builtin_memcpy(tile, floats_ + lane, sizeof tile);
        store_tile<false>(out, lane * sizeof(std::uint16_t), tile);
    }

    alignas(line_bytes) float floats_[most_lanes];
};

/// Combines operands that come one after the other, associated as requested.
template <class Lane>
class WidenedResult {
public:
    WidenedResult(const detail::Kernels& floats, Association association)
        : reduce_(floats.reduce), association_(association) {}

    /// Goes to the part that begins with lane `begin` of `count`.
    void go_to(std::size_t begin, std::size_t count) {
        constexpr std::size_t most = WidenedPart<Lane>::most_lanes;
        begin_ = begin * sizeof(std::uint16_t);
        lanes_ = count - begin < most ? count - begin : most;
    }

    /// Takes the next operand, which is combined when combine() is called.
    void take(const void* in) { next_.widen(in, begin_, lanes_); }

    /// Combines it with the `before` operands before it; the partial results are kept as PrefixTiles keeps
    /// them.
    void combine(unsigned before) {
        const bool is_tree = association_ == Association::tree;
        const unsigned levels = is_tree ? before : static_cast<unsigned>(before != 0);
        now_ = next_;
        int place = 0;
        for (; (levels >> place & 1U) != 0; ++place) {
            combine_with(partial_[place]);
        }
        partial_[is_tree ? place : 0] = now_;
        for (unsigned left = levels >> place << place; left != 0; left &= left - 1) {
            combine_with(partial_[__builtin_ctz(left)]);
        }
    }

    template <Isa isa>
    void store(void* const* outs, int outs_count, detail::StoreHints stores) const {
        alignas(line_bytes) std::uint16_t rounded[WidenedPart<Lane>::most_lanes];
        now_.round(rounded, lanes_);
        copy_part<isa>(outs, outs_count, base_of(rounded, begin_), begin_,
                       begin_ + lanes_ * sizeof(std::uint16_t), stores);
    }

private:
    void combine_with(WidenedPart<Lane>& left) {
        reduce_(nullptr, now_.floats(), left.floats(), now_.floats(), lanes_);
    }

    decltype(detail::Kernels::reduce) reduce_;
    Association association_;
    std::size_t begin_ = 0;
    std::size_t lanes_ = 0;
    WidenedPart<Lane> next_;
    WidenedPart<Lane> now_;
    WidenedPart<Lane> partial_[most_partial_results];
};

template <Isa isa, class Lane>
[[gnu::noinline]] void reduce_widened(const detail::Kernels& floats, void* const* outs, int outs_count,
                                      const void* const* ins, int ins_count, std::size_t count,
                                      Association association, detail::StoreHints stores) {
    WidenedResult<Lane> result(floats, association);
    for (std::size_t begin = 0; begin < count; begin += WidenedPart<Lane>::most_lanes) {
        result.go_to(begin, count);
        for (int source = 0; source < ins_count; ++source) {
            result.take(ins[source]);
            result.combine(static_cast<unsigned>(source));
        }
        result.template store<isa>(outs, outs_count, stores);
    }
}

template <Isa isa, class Lane>
[[gnu::noinline]] void scan_widened(const detail::Kernels& floats, void* const* outs, const void* const* ins,
                                    int prefixes, std::size_t count, Association association) {
    WidenedResult<Lane> result(floats, association);
    for (std::size_t begin = 0; prefixes > 0 && begin < count; begin += WidenedPart<Lane>::most_lanes) {
        result.go_to(begin, count);
        for (int member = 0; member < prefixes; ++member) {
            result.take(ins[member]);
            if (member > 0) { // after the operand has been read, which may be in the same place
                result.template store<isa>(outs + member - 1, 1, {});
            }
            result.combine(static_cast<unsigned>(member));
        }
        result.template store<isa>(outs + prefixes - 1, 1, {});
    }
}

template <Isa isa, class Lane, Operator op>
struct WidenedLoops {
    static void reduce(const void* /*state*/, void* out, const void* a, const void* b, std::size_t count) {
        const void* const ins[] = {a, b};
        reduce_widened<isa, Lane>(others<isa, Type::f32>(op), &out, 1, ins, 2, count, Association::left, {});
    }
    static void reduce_many(const void* /*state*/, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            detail::StoreHints stores) {
        reduce_widened<isa, Lane>(others<isa, Type::f32>(op), outs, outs_count, ins, ins_count, count,
                                  association, stores);
        if (stores.stream) {
            finish_streaming();
        }
    }
    static void scan_many(const void* /*state*/, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association,
                          detail::StoreHints /*stores*/) {
        const int first = exclusive ? 1 : 0;
        scan_widened<isa, Lane>(others<isa, Type::f32>(op), outs + first, ins, members - first, count,
                                association);
    }

    /// Without a fixed tree, which would round in each node.
    static constexpr detail::Kernels made{&reduce, &reduce_many, &scan_many, nullptr};
};

} // namespace
} // namespace tutti::kernel
