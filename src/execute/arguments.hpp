#pragma once

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::execute {

/// How the vectors of a call lie in memory.
///
/// - separate: input and output share nothing
/// - same: they are the same memory, whether or not the caller said so
/// - invalid: they overlap otherwise, or one has elements but no address
enum class Aliasing : std::uint8_t { separate, same, invalid };

/// The aliasing of a call in which this member's block starts at element `own_offset`.
inline Aliasing aliasing_of(const detail::Call& call, std::size_t own_offset) {
    const auto in = reinterpret_cast<std::uintptr_t>(call.input);
    const auto out = reinterpret_cast<std::uintptr_t>(call.output);
    if ((in == 0 && call.input_count != 0) || (out == 0 && call.output_count != 0)) {
        return Aliasing::invalid;
    }
    if (call.in_place) {
        return Aliasing::same;
    }
    // Distances wrap around where the other vector comes first, and are huge then.
    const std::size_t input_bytes = call.input_count * call.element_bytes;
    const std::size_t output_bytes = call.output_count * call.element_bytes;
    if ((out - in >= input_bytes && in - out >= output_bytes) || input_bytes == 0 || output_bytes == 0) {
        return Aliasing::separate;
    }
    const std::uintptr_t own = own_offset * call.element_bytes;
    const bool same = call.kind == detail::Kind::allreduce        ? in == out
                      : call.kind == detail::Kind::reduce_scatter ? out == in + own
                                                                  : in == out + own;
    return same ? Aliasing::same : Aliasing::invalid;
}

/// What the arguments of a call amount to, once they have been found sound.
struct Shape {
    /// Elements of the whole vector, and of each block where they are equal by definition of the collective.
    std::size_t total = 0;
    std::size_t block = 0;
    /// Where this member's block starts in the whole vector, in elements.
    std::size_t own_offset = 0;
    Aliasing aliasing = Aliasing::separate;
    /// Bytes that this member sends to a member that wants all it has.
    std::size_t message_bytes = 0;
};

/// Checks everything about a call that can be told without the other members. `offsets` is the space for the
/// members + 1 offsets of irregular blocks. Throws ArgumentError.
Shape checked_shape(const detail::Call& call, int rank, int members, std::size_t* offsets);

} // namespace tutti::execute
