#pragma once

#include "record/timeline.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace tutti::viewer {

/// A page with so many spans, in all its timelines together, stays below 2 MB.
constexpr std::size_t most_spans_of_page = 25'000;

/// Timelines below each other on one scale of time, in an HTML file that needs no other. Names may have any
/// characters. If there are too many spans, the last ones are kept, and the page reports it.
std::string timeline_page(std::span<const trace::Timeline> timelines);

/// The sentences that stand at the top of it, a line each.
std::string timeline_findings_text(std::span<const trace::Timeline> timelines);

} // namespace tutti::viewer
