#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>

#include <chrono>

namespace tutti::execute {

/// How long calls of a group with these options may wait, 0: for ever. Throws ArgumentError where the
/// options, or TUTTI_TIMEOUT, say nothing sensible.
std::chrono::milliseconds deadline_of(const GroupOptions& options);

/// Throws ArgumentError where the options of a call have none.
TUTTI_COMPONENT_API void check_deadline(const detail::Call& call);

} // namespace tutti::execute
