#pragma once

#include <tutti/observe.hpp>

namespace tutti::library {

/// Passes a message to the function of set_log(). By any thread, without a lock of the library's.
/// Allocates nothing: memory may be what has run out. Ignores what the function throws.
TUTTI_COMPONENT_API void report(Severity severity, const char* text) noexcept;

/// Passes a failure to the function of set_failure_hook(), if there is one. By the member's thread, without a
/// lock of the library's. Ignores what the function throws.
void report_failure(int member, const char* text) noexcept;

} // namespace tutti::library
