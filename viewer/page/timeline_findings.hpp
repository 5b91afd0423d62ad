#pragma once

#include "page/findings.hpp"
#include "record/timeline.hpp"

#include <cstdint>
#include <vector>

namespace tutti::viewer {

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
