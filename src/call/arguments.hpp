#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::engine {

/// How the vectors of a call lie in memory.
///
/// - separate: input and output share nothing
/// - same: they are the same memory, whether or not the call is in place
/// - front: the block that a reduce_scatter leaves is the first part of its input, not the member's own
/// - invalid: they overlap otherwise, or one has elements but no address
enum class Aliasing : std::uint8_t { separate, same, front, invalid };

/// The sizes and places that a call's arguments yield, once they have been found sound.
struct Shape {
    /// Elements of the whole vector, and of each block if they are equal by definition of the collective.
    std::size_t total = 0;
    std::size_t block = 0;
    /// The start of this member's block in the whole vector, in elements.
    std::size_t own_offset = 0;
    /// Whether this member's input, output is a whole vector or just its block of it.
    bool input_is_block = false;
    bool output_is_block = false;
    Aliasing aliasing = Aliasing::separate;
    /// Bytes that this member sends to a member that wants all it has.
    std::size_t message_bytes = 0;
};

/// The aliasing of a call with this shape.
TUTTI_COMPONENT_API Aliasing aliasing_of(const detail::Call& call, const Shape& shape);

/// Checks everything about a call that can be checked without the other members, when all members know all
/// blocks. `offsets` is the space for the members + 1 offsets of irregular blocks. Throws ArgumentError.
TUTTI_COMPONENT_API Shape checked_shape(const detail::Call& call, int rank, int members,
                                        std::size_t* offsets);

/// Throws ArgumentError if the program has given a timeout or another argument that the types or the
/// options alone show to be wrong. Cheap, and needed before every call, also one that is known already.
TUTTI_COMPONENT_API void check_given(const detail::Call& call);

} // namespace tutti::engine
