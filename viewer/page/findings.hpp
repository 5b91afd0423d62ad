#pragma once

#include "measure/point.hpp"
#include "record/timeline.hpp"

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

/// A time of a member on a critical path.
struct PathPart {
    int rank = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
};

/// The chain of actions that the last member to leave an operation depended on, from its end back to a
/// beginning: its actions since its last wait, before that those of the member for which it waited since that
/// one's last wait, and so on.
struct CriticalPath {
    std::uint64_t number = 0;
    /// From the beginning on.
    std::vector<PathPart> parts = {};
    /// How much later than the median member its first member came, in ns; 0 if not later.
    std::int64_t late_ns = 0;
};

/// The critical path of each operation, in the order of their numbers.
std::vector<CriticalPath> critical_paths(const trace::Timeline& timeline);

/// How long the operations took, how much of that was waiting, and who was waited for: a member that started
/// requests while others waited for them, or one that came late, even where others waited for those who
/// waited for it; else in whom most of the critical path is.
std::vector<Finding> timeline_findings(const trace::Timeline& timeline,
                                       const std::vector<CriticalPath>& paths);

} // namespace tutti::viewer
