#pragma once

#include "record/timeline.hpp"

#include <span>
#include <string>

namespace tutti::trace {

/// One object of JSON per line and span, group after group and member after member: group, rank, thread, kind
/// ("operation", "step", "wait"), name, begin_ns, end_ns, peer (null: none), bytes, number.
std::string json_lines(std::span<const Timeline> timelines);

} // namespace tutti::trace
