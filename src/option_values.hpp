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

namespace tutti::library {

/// The names of an option's enumerators, in the order of their values, which are 0, 1, 2, ...
constexpr std::array<const char*, 3> names_of(Order /*any*/) {
    return {"canonical", "serial", "by_process"};
}
constexpr std::array<const char*, 4> names_of(Wait /*any*/) {
    return {"automatic", "spin", "yield", "sleep"};
}
constexpr std::array<const char*, 4> names_of(Trace /*any*/) {
    return {"off", "statistics", "operations", "steps"};
}
constexpr std::array<const char*, 2> names_of(TraceFormat /*any*/) {
    return {"json_lines", "perfetto"};
}
constexpr std::array<const char*, 2> names_of(RollCallFormat /*any*/) {
    return {"text", "json"};
}
constexpr std::array<const char*, 5> names_of(Level /*any*/) {
    return {"socket", "numa_node", "l3", "l2", "core"};
}

/// The reason why `value` is no Enum, as the end of a sentence that begins with the option; empty if it is
/// one.
template <class Enum>
std::string fault_of(int value) {
    constexpr auto names = names_of(Enum{});
    constexpr std::size_t count = names.size();
    if (value >= 0 && value < static_cast<int>(count)) {
        return {};
    }
    std::string text = " is " + std::to_string(value) + ", must be ";
    for (std::size_t i = 0; i < count; ++i) {
        const char* const before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        text += before + std::to_string(i) + " (" + names[i] + ")";
    }
    return text;
}

template <class Enum>
requires std::is_enum_v<Enum> std::string fault_of(Enum value) {
    return fault_of<Enum>(static_cast<int>(value));
}

/// The same for a timeout: empty if it is positive, or none is given.
inline std::string fault_of(Timeout given) {
    const std::chrono::milliseconds time = given.value_or(never);
    if (time.count() > 0) {
        return {};
    }
    const Timeout not_a_number = std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN());
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

} // namespace tutti::library
