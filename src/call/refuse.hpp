#pragma once

#include "choose/select.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::engine {

// The errors for wrong arguments.

inline std::string_view name_of(const detail::Call& call) {
    return neighborhood_of(call) != nullptr ? "neighbor_alltoall" : to_string(call.collective);
}

[[noreturn]] inline void refuse(const detail::Call& call, const std::string& what) {
    throw ArgumentError(std::string(name_of(call)) + ": " + what);
}

inline std::string elements(const char* name, std::size_t count) {
    return std::string("`") + name + "` has " + std::to_string(count) + " elements";
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

} // namespace tutti::engine
