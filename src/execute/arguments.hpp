#pragma once

#include <tutti/detail/call.hpp>

#include <cstddef>

namespace tutti::execute {

/// What the arguments of a call amount to, once they have been found sound.
struct Shape {
    /// Elements of the whole vector, and of each block where they are equal by definition of the collective.
    std::size_t total = 0;
    std::size_t block = 0;
    /// Where this member's block starts in the whole vector, in elements.
    std::size_t own_offset = 0;
    /// Input and output are the same memory, whether or not the caller said so.
    bool in_place = false;
    /// Bytes that this member sends to a member that wants all it has.
    std::size_t message_bytes = 0;
};

/// Checks the addresses of a call in which this member's block starts at `own_offset`. Returns whether input
/// and output are the same memory. Throws ArgumentError for a null pointer with elements and for any other
/// overlap.
bool checked_aliasing(const detail::Call& call, std::size_t own_offset);

/// Checks everything about a call that can be told without the other members. `offsets` is the space for the
/// members + 1 offsets of irregular blocks. Throws ArgumentError.
Shape checked_shape(const detail::Call& call, int rank, int members, std::size_t* offsets);

} // namespace tutti::execute
