#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>

#include <chrono>

namespace tutti::engine {

/// How long calls may wait where the options, `name` among them, say so, 0: for ever. Throws ArgumentError
/// where these, or TUTTI_TIMEOUT, say nothing sensible.
TUTTI_COMPONENT_API std::chrono::milliseconds timeout_of(std::chrono::milliseconds given, const char* name);

} // namespace tutti::engine
