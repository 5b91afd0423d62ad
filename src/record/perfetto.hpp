#pragma once

#include "record/timeline.hpp"

#include <span>
#include <string>

namespace tutti::trace {

/// Perfetto's protobuf (perfetto.protos.Trace), which ui.perfetto.dev opens: a track for each group and under
/// it one for each member, on which spans are slices, with their bytes, peers and numbers.
std::string perfetto(std::span<const Timeline> timelines);

} // namespace tutti::trace
