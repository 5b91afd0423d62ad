#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>

#include <chrono>

namespace tutti::engine {

/// The timeout that the option `name` gives, or `otherwise` if it gives none. Throws ArgumentError if it is
/// not positive.
TUTTI_COMPONENT_API std::chrono::milliseconds timeout_or(Timeout given, const char* name,
                                                         std::chrono::milliseconds otherwise);

/// The timeout that the option `name` gives, or else TUTTI_TIMEOUT; 0 if neither does, which is no limit.
/// Throws ArgumentError if the option is not positive.
TUTTI_COMPONENT_API std::chrono::milliseconds timeout_of(Timeout given, const char* name);

} // namespace tutti::engine
