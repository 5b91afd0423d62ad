#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::schedule {

/// value mod modulus, in 0..modulus-1 for negative values too.
constexpr int wrap(int value, int modulus) {
    const int rest = value % modulus;
    return rest < 0 ? rest + modulus : rest;
}

/// How the members of a schedule resemble each other.
///
/// On a torus (a ring has one dimension, a mesh two or more, a hypercube as many dimensions of two as bits) a
/// rank is a number whose digits are its coordinates, the last one running fastest, and translating a rank
/// adds to each coordinate, cyclically. With the symmetry of a torus the program of member r is that of
/// member 0 with every member (and every block, if there are as many blocks as ranks) translated by r. One
/// stored program then stands for all, and whatever is derived or proved for member 0 holds for every member
/// by renaming. Without symmetry (`none`), every member has a program of its own.
class Symmetry {
public:
    static constexpr std::size_t most_dimensions = 16;

    static const Symmetry none;
    /// The torus of one dimension.
    static const Symmetry rotation;

    /// The torus of these dimensions, whose product is the number of ranks. Throws std::invalid_argument when
    /// there are more than most_dimensions of 2 or more.
    static Symmetry torus(std::span<const int> dimensions);

    /// Whether one program stands for all.
    constexpr bool translates() const { return count_ > 0; }

    /// `rank` translated by `by`; `rank` itself without symmetry.
    int translated(int rank, int by, int ranks) const {
        if (count_ <= 1) {
            return count_ == 0 ? rank : wrap(rank + by, ranks);
        }
        return translated_on_torus(rank, by);
    }

    /// The translation that undoes the one by `by`; 0 without symmetry.
    int inverse(int by, int ranks) const {
        if (count_ <= 1) {
            return count_ == 0 ? 0 : wrap(-by, ranks);
        }
        return inverse_on_torus(by);
    }

    /// The largest product of the fastest dimensions that divides `first` and `count`: a range keeps its
    /// shape under translation when it is one such unit, or any number of units of all except the slowest
    /// dimension.
    int unit(int first, int count) const { return count_ <= 1 ? 1 : unit_on_torus(first, count); }
    /// Whether translations take the range [first, first + count) to ranges.
    bool keeps(int first, int count) const { return count_ <= 1 || keeps_on_torus(first, count); }

    /// Translations from which all others follow: one step in each dimension.
    std::vector<int> generators() const;

    friend constexpr bool operator==(const Symmetry&, const Symmetry&) = default;

private:
    constexpr explicit Symmetry(std::size_t count) : count_(count) {}

    int translated_on_torus(int rank, int by) const;
    int inverse_on_torus(int by) const;
    int unit_on_torus(int first, int count) const;
    bool keeps_on_torus(int first, int count) const;

    /// 0: none; 1: the only dimension has as many members as there are ranks.
    std::size_t count_;
    std::array<std::uint16_t, most_dimensions> dimensions_{};
};

inline constexpr Symmetry Symmetry::none{0};
inline constexpr Symmetry Symmetry::rotation{1};

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
