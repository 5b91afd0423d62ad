#pragma once

#include "run/prepared.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::library {

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

/// As checked_shape(), for a call in which only the sender and the receiver of a block know of it; stores
/// their places in `blocks`. Throws ArgumentError.
TUTTI_COMPONENT_API Shape checked_layout(const detail::Call& call, int rank, int members,
                                         run::PrivateLayout& blocks);

/// The text about a call's argument that is wrong (Call::wrong). Its buffers have these names.
TUTTI_COMPONENT_API std::string wrong_argument(const detail::Call& call, const char* input,
                                               const char* output);

// The errors for wrong arguments.

inline std::string_view name_of(const detail::Call& call) {
    const bool is_among_neighbors =
        neighborhood_of(call) != nullptr || call.wrong == detail::Wrong::no_neighbors;
    return is_among_neighbors ? "neighbor_alltoall" : to_string(call.collective);
}

[[noreturn]] inline void refuse(const detail::Call& call, const std::string& what) {
    throw ArgumentError(std::string(name_of(call)) + ": " + what);
}

inline std::string elements(const char* name, std::size_t count) {
    return std::string("`") + name + "` has " + std::to_string(count) +
           (count == 1 ? " element" : " elements");
}

/// The names that the public functions give to their vectors.
inline const char* input_name(const detail::Call& call) {
    return call.in_place ? "inout" : detail::traits_of(call.collective).input_name();
}
inline const char* output_name(const detail::Call& call) {
    return call.in_place ? "inout" : detail::traits_of(call.collective).output_name();
}
inline std::string both_names(const detail::Call& call) {
    return std::string("`") + input_name(call) + "` and `" + output_name(call) + "` ";
}

inline void check_root(const detail::Call& call, std::size_t members) {
    if (detail::traits_of(call.collective).is_rooted() &&
        (call.root < 0 || static_cast<std::size_t>(call.root) >= members)) {
        refuse(call,
               "`root` is " + std::to_string(call.root) + ", must be in 0.." + std::to_string(members - 1));
    }
}

inline void check_pointer(const detail::Call& call, const char* name, const void* start, std::size_t count) {
    if (count != 0 && start == nullptr) {
        refuse(call, elements(name, count) + " but is a null pointer");
    }
    if (std::size_t bytes = 0; __builtin_mul_overflow(count, call.element_bytes, &bytes)) {
        refuse(call, elements(name, count) + ", more bytes than there are addresses");
    }
}

/// Throws unless a list has one entry for each member, or for each of other things.
inline void check_entries(const detail::Call& call, const char* name, std::size_t entries,
                          std::size_t members, const char* things = "members") {
    if (entries != members) {
        refuse(call, std::string("`") + name + "` has " + std::to_string(entries) +
                         " entries, must have one for each of the " + std::to_string(members) + " " + things);
    }
}

/// A member's own entry in a list of counts.
inline std::string entry(const char* name, std::size_t index, std::size_t count) {
    return std::string("`") + name + "[" + std::to_string(index) + "]` is " + std::to_string(count);
}

/// Throws unless counts that are to fill a vector do.
inline void check_sum(const detail::Call& call, const char* name, std::size_t sum, const char* vector,
                      std::size_t count) {
    if (sum != count) {
        refuse(call, elements(vector, count) + ", but `" + name + "` add up to " + std::to_string(sum));
    }
}

inline std::size_t checked_end(const detail::Call& call, const char* name, std::size_t start,
                               std::size_t count) {
    std::size_t end = 0;
    if (__builtin_add_overflow(start, count, &end)) {
        refuse(call, std::string("the sum of `") + name + "` overflows");
    }
    return end;
}

/// Checks one member's arguments of one call.
class ArgumentCheck {
protected:
    ArgumentCheck(const detail::Call& call, int rank, int members)
        : call_(call), traits_(detail::traits_of(call.collective)), own_(static_cast<std::size_t>(rank)),
          members_(static_cast<std::size_t>(members)), is_root_(call.root == rank) {
        check_root(call_, members_);
    }

    /// Whether this member's input, output is looked at.
    bool has_input() const { return traits_.input.of(is_root_) != detail::Part::none; }
    bool has_output() const { return traits_.output.of(is_root_) != detail::Part::none; }

    /// Checks the addresses of the vectors, and finds out how they overlap.
    void check_vectors() {
        if (has_input()) {
            check_pointer(call_, input_name(call_), call_.input, call_.input_count);
        }
        if (has_output()) {
            check_pointer(call_, output_name(call_), call_.output, call_.output_count);
        }
        shape_.aliasing = has_input() && has_output() ? aliasing_of(call_, shape_)
                          : call_.in_place            ? Aliasing::same
                                                      : Aliasing::separate;
    }

    const detail::Call& call_;
    const detail::CollectiveTraits& traits_;
    std::size_t own_;
    std::size_t members_;
    bool is_root_;
    Shape shape_;
};

} // namespace tutti::library
