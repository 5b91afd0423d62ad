#pragma once

// The values that options can have, in C++ and in C.

#include <tutti/error.hpp>
#include <tutti/member.hpp>
#include <tutti/options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>

namespace tutti::engine {

/// The names of an option's enumerators, in the order of their values, which are 0, 1, 2, ...
template <class Enum>
inline constexpr std::array<const char*, 0> names_of{};
template <>
inline constexpr std::array names_of<Order>{"canonical", "serial"};
template <>
inline constexpr std::array names_of<Wait>{"automatic", "spin", "yield", "sleep"};
template <>
inline constexpr std::array names_of<Trace>{"off", "statistics", "operations", "steps"};
template <>
inline constexpr std::array names_of<TraceFormat>{"json_lines", "perfetto"};
template <>
inline constexpr std::array names_of<RollCallFormat>{"text", "json"};
template <>
inline constexpr std::array names_of<Level>{"socket", "numa_node", "l3", "l2", "core"};

/// The reason why `value` is no Enum, as the end of a sentence that begins with the option; empty if it is
/// one.
template <class Enum>
std::string fault_of(int value) {
    constexpr std::size_t count = names_of<Enum>.size();
    static_assert(count != 0);
    if (value >= 0 && value < static_cast<int>(count)) {
        return {};
    }
    std::string text = " is " + std::to_string(value) + ", must be ";
    for (std::size_t i = 0; i < count; ++i) {
        const char* const before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        text += before + std::to_string(i) + " (" + names_of<Enum>[i] + ")";
    }
    return text;
}

template <class Enum>
requires std::is_enum_v<Enum> std::string fault_of(Enum value) {
    return fault_of<Enum>(static_cast<int>(value));
}

/// The same for a timeout: empty if it is positive, or none is given.
inline std::string fault_of(Timeout given) {
    constexpr Timeout not_a_number(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN()));
    const std::chrono::milliseconds time = given.value_or(never);
    if (time.count() > 0) {
        return {};
    }
    return " is " + (given == not_a_number ? "not a number" : std::to_string(time.count()) + " ms") +
           ", must be positive, or never (tutti::never, TUTTI_NEVER)";
}

/// The value of the option `name`. Throws ArgumentError if the option cannot have it.
template <class Value>
Value required(const char* name, Value given) {
    if (const std::string fault = fault_of(given); !fault.empty()) {
        throw ArgumentError(name + fault);
    }
    return given;
}

} // namespace tutti::engine
