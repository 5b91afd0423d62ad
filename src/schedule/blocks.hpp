#pragma once

#include "schedule/symmetry.hpp"

#include <algorithm>

namespace tutti::schedule {

/// A cyclic range of blocks: first, first + 1, ..., first + count - 1, each modulo the number of blocks.
struct Blocks {
    int first = 0;
    int count = 0;

    friend bool operator==(const Blocks&, const Blocks&) = default;
};

/// The renaming that takes the stored program of a representative to a member's own program: a translation of
/// the members and, if there are as many blocks as ranks, of the blocks. The symmetry must outlive it.
class Translation {
public:
    Translation(const Symmetry& symmetry, int ranks, int blocks, int by)
        : symmetry_(&symmetry), ranks_(ranks), blocks_(blocks), by_(by) {}

    int by() const { return by_; }
    int member(int rank) const { return symmetry_->translated(rank, by_, ranks_); }
    int block(int index) const { return blocks_ == ranks_ ? member(index) : index; }

    /// Ranges that are translated are aligned in the sense of Symmetry::unit, so that they stay ranges. The
    /// blocks within a unit change places, in all ranges of equal length and unit in the same way.
    Blocks range(Blocks range) const {
        if (by_ == 0 || blocks_ != ranks_) {
            return range;
        }
        const int first = member(range.first);
        return {first - first % symmetry_->unit(range.first, range.count), range.count};
    }

private:
    const Symmetry* symmetry_;
    int ranks_;
    int blocks_;
    int by_;
};

/// Calls `visit(from, to)` for the blocks from .. to - 1 of the range that lie in [begin, end): one part, or
/// two if the range goes round the end.
template <class Visit>
void for_each_part(Blocks range, int blocks, int begin, int end, Visit visit) {
    // The range covers [first, first + count) of two rounds of blocks.
    for (int lap = 0; lap < range.first + range.count; lap += blocks) {
        const int from = std::max(range.first, begin + lap);
        const int to = std::min(range.first + range.count, end + lap);
        if (from < to) {
            visit(from - lap, to - lap);
        }
    }
}

/// Calls `visit(block)` for the blocks of the range, in its order.
template <class Visit>
void for_each_block(Blocks range, int blocks, Visit visit) {
    for_each_part(range, blocks, 0, blocks, [&](int from, int to) {
        for (int block = from; block < to; ++block) {
            visit(block);
        }
    });
}

/// Calls `visit(i, block)` for the blocks range.first + i (mod blocks) that lie in [begin, end), in no
/// particular order.
template <class Visit>
void for_each_within(Blocks range, int blocks, int begin, int end, Visit visit) {
    if (range.count == 1) {
        if (range.first >= begin && range.first < end) {
            visit(0, range.first);
        }
        return;
    }
    for_each_part(range, blocks, begin, end, [&](int from, int to) {
        const int lap = from < range.first ? blocks : 0;
        for (int block = from; block < to; ++block) {
            visit(block + lap - range.first, block);
        }
    });
}

/// Whether any block of the range lies in [begin, end).
constexpr bool meets(Blocks range, int blocks, int begin, int end) {
    const int ahead = begin - range.first; // less than one round of blocks
    return end - begin == blocks || (ahead < 0 ? ahead + blocks : ahead) < range.count ||
           (ahead > 0 ? blocks - ahead : -ahead) < end - begin;
}

} // namespace tutti::schedule
