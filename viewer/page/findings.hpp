#pragma once

#include "measure/point.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::viewer {

/// The tone of a sentence: all is well, it informs, or it needs a look.
enum class Tone : std::uint8_t { good, note, warning };

/// One sentence on what stands out.
struct Finding {
    Tone tone = Tone::note;
    std::string text;
};

/// Sentences as text, a line each.
std::string lines_of(std::span<const Finding> findings);

/// The findings in the points of one file: wrong results; the point furthest above the floor, from 16 MiB on
/// if there are such; for each other provider how it compares and where it is faster; algorithms that beat
/// the library's choice, or only seem to; unstable medians; points whose runs drift.
std::vector<Finding> findings(std::span<const bench::Point> points);

/// The findings between two files of these names: how many of Tutti's points changed, and the one that became
/// slower the most.
Finding change_finding(const std::string& before, std::span<const bench::Point> before_points,
                       const std::string& after, std::span<const bench::Point> after_points);

} // namespace tutti::viewer
