#pragma once

#include "measure/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::bench {

/// A periodic sequence of elements that fills vectors of any length quickly, from the cache.
class Tile {
public:
    /// `period` holds the elements of one period, each of `element_bytes`.
    Tile(const std::vector<std::byte>& period, std::size_t element_bytes);

    /// to[i] = period[(i + phase) mod period length] for i < count.
    void fill(std::byte* to, std::size_t count, std::size_t phase) const;

    /// How many of the `count` elements at `from` differ from what fill() would have written. Elements are
    /// compared as values of `type` where their bytes differ (0 and -0 are the same).
    std::size_t mismatches(const std::byte* from, std::size_t count, std::size_t phase, Type type) const;

private:
    std::size_t element_bytes_;
    std::size_t period_;
    /// Elements that fill() copies at a time, a multiple of the period.
    std::size_t stride_;
    std::vector<std::byte> repeated_;
};

/// The values that one member contributes to a call and expects from it. All are small integers, or powers of
/// two for products, so that floating-point results are exact in whatever order they are formed.
///
/// The salt changes the values from one repetition to the next, so that a result left over from the last one
/// shows.
class Data {
public:
    Data(const Problem& problem, int rank);

    /// Writes this member's contribution into `input` (in place: into its part of the vector).
    void write_input(std::byte* input, std::uint64_t salt) const;

    /// Reads the last result at `output` and changes the member's contribution in `input`, each line once.
    void use(std::byte* input, const std::byte* output) const;

    /// Overwrites `output` with a value that is none of the results (unless it is the input as well), so
    /// that what is not written shows.
    void spoil_output(std::byte* output) const;

    /// Reads the whole of `output`, as a user of the last result would. Without this, a run would find the
    /// output wherever the run before it left it: in the caches, or, after stores past the caches, in memory.
    void read_output(const std::byte* output) const;

    /// How many elements of the result at `result` (of problem.output_elements(rank)) are wrong.
    std::size_t wrong(const std::byte* result, std::uint64_t salt) const;

private:
    /// A part of the expected result: elements of a tile from `offset` on.
    struct Piece {
        std::size_t tile;
        std::size_t offset;
        std::size_t elements;
    };

    template <class T>
    void expect_reduction();
    template <class T>
    void expect_blocks_of_others();
    std::size_t phase(std::uint64_t salt, std::size_t offset) const;
    /// The place of this member's contribution.
    std::byte* own_part(std::byte* input) const;

    Problem problem_;
    int rank_;
    std::size_t period_;
    /// The first is what this member contributes.
    std::vector<Tile> tiles_;
    std::vector<Piece> expected_;
};

} // namespace tutti::bench
