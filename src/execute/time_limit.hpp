#pragma once

#include <tutti/options.hpp>

#include <chrono>

namespace tutti::execute {

/// How long calls of a group with these options may wait, 0: for ever. Throws ArgumentError where the
/// options, or TUTTI_TIMEOUT, say nothing sensible.
std::chrono::milliseconds deadline_of(const GroupOptions& options);

} // namespace tutti::execute
