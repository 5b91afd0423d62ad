#pragma once

#include "measure/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::bench {

/// The vectors of all members, by rank. In place, a member's input and output are the same.
struct Vectors {
    std::vector<std::byte*> inputs;
    std::vector<std::byte*> outputs;
};

/// One sweep over memory that one member makes.
struct Pass {
    enum class Kind : std::uint8_t {
        copy,   ///< the only input to every output
        reduce, ///< all inputs, combined in rank order, to every output
        scan,   ///< inputs 0 .. j, combined in rank order, to output j
        exscan, ///< inputs 0 .. j - 1 to output j, none to output 0
    };
    Kind kind = Kind::copy;
    std::vector<const void*> ins;
    std::vector<void*> outs;
    std::size_t elements = 0;
};

/// Who copies what several members want: its owner to all, or everybody what they want for themselves.
enum class Direction : std::uint8_t { push, pull };

/// Whether the problem can be done in passes over the vectors without another copy. A barrier has nothing to
/// pass over, and blocks that are exchanged in place would have to be kept somewhere in between.
bool has_passes(const Problem& problem);

/// Whether the direction makes a difference.
bool has_directions(const Problem& problem);

/// The passes of member `rank`: every element that has to be loaded is loaded once, and every result stored
/// once, divided among the members as evenly as possible. \pre has_passes(problem)
std::vector<Pass> passes_of(const Problem& problem, int rank, const Vectors& vectors, Direction direction);

} // namespace tutti::bench
