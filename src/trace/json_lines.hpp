#pragma once

#include "trace/timeline.hpp"

#include <string>

namespace tutti::trace {

/// One object of JSON a line and span, lane after lane: group, rank, thread, kind ("operation", "step",
/// "wait"), name, begin_ns, end_ns, peer (null: none), bytes, number.
std::string json_lines(const Timeline& timeline);

} // namespace tutti::trace
