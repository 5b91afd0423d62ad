#pragma once

#include "record/timeline.hpp"

#include <string>
#include <vector>

namespace tutti::bench {

/// The timelines in JSON lines, as trace::json_lines() writes them: a line a span, groups in the order in
/// which they first appear, members by rank. Throws std::invalid_argument that names the line which is none,
/// and where there is no span.
std::vector<trace::Timeline> parse_timelines(const std::string& text);

/// The same of a file, which is named in what is thrown.
std::vector<trace::Timeline> read_timelines(const std::string& path);

} // namespace tutti::bench
