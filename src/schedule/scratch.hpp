#pragma once

#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// The shortest cyclic range that covers the blocks of `space` that are written at `rank`: what it has to
/// have of that scratch vector. Empty (count 0) when it is not used.
Blocks scratch_range(const Schedule& schedule, int rank, Space space);

} // namespace tutti::schedule
