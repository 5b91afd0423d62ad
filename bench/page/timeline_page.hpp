#pragma once

#include "trace/timeline.hpp"

#include <span>
#include <string>

namespace tutti::bench {

/// Timelines below each other on one scale of time, in an HTML file that needs no other. Names may have any
/// characters.
std::string timeline_page(std::span<const trace::Timeline> timelines);

/// The sentences that stand at the top of it, a line each.
std::string timeline_findings_text(std::span<const trace::Timeline> timelines);

} // namespace tutti::bench
