#include "kernel/pieces.hpp"

#include "cache_line.hpp"
#include "kernel/table.hpp"

#include <tutti/detail/vector_loops.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace tutti::kernel {

namespace {

using detail::Brackets;
using detail::Stores;

/// Partial results of one piece: on the stack, and in the first-level cache beside three operands.
constexpr std::size_t room_bytes = 16384;
constexpr std::size_t most_piece_bytes = 4096;

/// The reduction of two inputs or more.
class Reduction {
public:
    Reduction(const PairLoop& loop, const void* const* ins, int ins_count, Brackets brackets)
        : loop_(loop), ins_(ins), ins_count_(ins_count),
          from_left_(loop.has_one_result || brackets == Brackets::left),
          piece_bytes_(std::min(most_piece_bytes, room_bytes / partial_results() / line_bytes * line_bytes)) {
    }

    /// Of bytes [begin, end), to where `out` has them, which may be an operand: it is written last.
    void combine(void* out, std::size_t begin, std::size_t end) {
        // Of two inputs nothing is kept: the whole is one piece.
        const std::size_t piece_bytes = ins_count_ == 2 ? end - begin : piece_bytes_;
        for (begin_ = begin; begin_ < end; begin_ += bytes_) {
            bytes_ = std::min(piece_bytes, end - begin_);
            const int left = left_of(ins_count_);
            const void* const left_result = part(ins_, left, 0);
            const void* const right_result = part(ins_ + left, ins_count_ - left, 1);
            apply(static_cast<std::byte*>(out) + begin_, left_result, right_result);
        }
    }

private:
    /// The tree is never deeper on its right than there are bits in the number of inputs.
    std::size_t partial_results() const {
        return from_left_ ? 1 : static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ins_count_)));
    }
    int left_of(int count) const { return from_left_ ? count - 1 : detail::left_part(count); }

    /// The result of some inputs: where the only one is, or in the place for partial results.
    const void* part(const void* const* ins, int count, std::size_t place) {
        if (count == 1) {
            return static_cast<const std::byte*>(ins[0]) + begin_;
        }
        std::byte* const result = room_ + place * piece_bytes_;
        if (from_left_) {
            apply(result, part(ins, 1, place), part(ins + 1, 1, place));
            for (int source = 2; source < count; ++source) {
                apply(result, result, part(ins + source, 1, place));
            }
        } else {
            const int left = left_of(count);
            const void* const left_result = part(ins, left, place);
            apply(result, left_result, part(ins + left, count - left, place + 1));
        }
        return result;
    }

    void apply(void* out, const void* left, const void* right) const {
        loop_.reduce(nullptr, out, left, right, bytes_ / loop_.element_bytes);
    }

    const PairLoop& loop_;
    const void* const* ins_;
    int ins_count_;
    bool from_left_;
    std::size_t piece_bytes_;
    std::size_t begin_ = 0;
    std::size_t bytes_ = 0;
    alignas(line_bytes) std::byte room_[room_bytes];
};

/// How Pieces combine by a PairLoop.
struct CombinePairs {
    explicit CombinePairs(const void* state) : loop(static_cast<const PairLoop*>(state)) {}

    static constexpr std::size_t room_bytes = detail::usual_room_bytes;
    static constexpr std::size_t align = line_bytes;
    std::size_t element_bytes() const { return loop->element_bytes; }

    void operator()(const void* left, void* inout, std::size_t count) const {
        loop->reduce(nullptr, inout, left, inout, count);
    }

    const PairLoop* loop;
};

} // namespace

void reduce_in_pieces(const PairLoop& loop, void* const* outs, int outs_count, const void* const* ins,
                      int ins_count, std::size_t count, Brackets brackets, Stores stores) {
    const std::size_t bytes = count * loop.element_bytes;
    Reduction reduction(loop, ins, ins_count, brackets);
    const int first = std::max(stores.cached_out, 0);
    if (ins_count == 1) {
        return detail::copy_many(outs, outs_count, ins[0], bytes, stores);
    }
    if (outs_count == 1) {
        return reduction.combine(outs[first], 0, bytes);
    }
    const bool moves = stores.move && bytes >= string_move_from_bytes;
    const std::size_t piece_bytes = moves ? moved_bytes : most_piece_bytes;
    for (std::size_t begin = 0; begin < bytes; begin += piece_bytes) {
        const std::size_t end = std::min(bytes, begin + piece_bytes);
        reduction.combine(outs[first], begin, end);
        for (int other = 0; other < outs_count; ++other) {
            if (other != first) {
                void* const to = static_cast<std::byte*>(outs[other]) + begin;
                detail::copy_many(&to, 1, static_cast<const std::byte*>(outs[first]) + begin, end - begin,
                                  stores.to_others());
            }
        }
    }
}

void scan_in_pieces(const PairLoop& loop, void* const* outs, const void* const* ins, int members,
                    std::size_t count, bool exclusive, Brackets brackets, Stores stores) {
    detail::PieceLoops<CombinePairs>::scan_many(&loop, outs, ins, members, count, exclusive,
                                                loop.has_one_result ? Brackets::left : brackets, stores);
}

} // namespace tutti::kernel
