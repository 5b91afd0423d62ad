#pragma once

#include "measure/point.hpp"

#include <span>
#include <string>

namespace tutti::bench {

/// Points in the 13 columns of nccl-tests (src/util.cu): a table for each provider, algorithm, collective and
/// number of members, which are what one run of a program of theirs has. A line is a size, separate and in
/// place; "N/A" is what was not measured. Times are medians of ours and means of theirs. `checked`: whether
/// results were.
std::string nccl_text(std::span<const Point> points, bool checked);

} // namespace tutti::bench
