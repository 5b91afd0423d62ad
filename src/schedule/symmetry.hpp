#pragma once

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

} // namespace tutti::schedule
