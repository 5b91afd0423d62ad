#pragma once

#include "c/src/status.hpp"

#include <tutti/member.hpp>
#include <tutti/options.hpp>
#include <tutti/tutti.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE::c {

/// Options as this library knows them: fields that an older program does not have are as in `defaults`.
/// Throws ArgumentError if a newer program has set a field that the library does not have.
template <class Options>
Options known(const char* function, const Options* given, Options defaults) {
    if (given == nullptr) {
        return defaults;
    }
    if (given->size < sizeof(std::size_t) || given->size > 4096) {
        refuse(function, "`options.size` is " + std::to_string(given->size) +
                             ": initialise options with their TUTTI_..._OPTIONS_INIT");
    }
    const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
    std::memcpy(&defaults, given, std::min(given->size, sizeof(Options)));
    for (std::size_t i = sizeof(Options); i < given->size; ++i) {
        if (bytes[i] != 0) {
            refuse(function, "`options` sets a member that this version of the library does not "
                             "support");
        }
    }
    return defaults;
}

/// The timeout that `milliseconds`, or one of the constants for it, stands for.
TUTTI_COMPONENT_API Timeout timeout(std::int64_t milliseconds);
Options call_options(const char* function, const tutti_call_options* given);
GroupOptions group_options(const char* function, const tutti_group_options* given);
TUTTI_COMPONENT_API RollCallFormat roll_call_format(const char* function, int format);
TraceFormat trace_format(const char* function, int format);
Level level(const char* function, int level);

/// Writes a text as far as it fits: see tutti_group_roll_call().
TUTTI_COMPONENT_API void write_text(const char* function, const std::string& written, char* text,
                                    std::size_t bytes, std::size_t* length);

/// Writes the roll call of a group, a team or an async group.
template <class Called>
void write_roll_call(const char* function, const Called& called, int format, char* text, std::size_t bytes,
                     std::size_t* length) {
    write_text(function, called.roll_call(roll_call_format(function, format)), text, bytes, length);
}

/// Writes the trace of a group or a team.
template <class Called>
void write_trace(const char* function, const Called& called, int format, char* text, std::size_t bytes,
                 std::size_t* length) {
    write_text(function, called.trace(trace_format(function, format)), text, bytes, length);
}

} // namespace tutti::inline TUTTI_NAMESPACE::c
