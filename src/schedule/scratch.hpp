#pragma once

#include "schedule/schedule.hpp"

#include <cstddef>
#include <vector>

namespace tutti::schedule {

/// The blocks of a scratch vector that a representative's program writes.
class WrittenScratch {
public:
    /// The schedule must outlive it.
    WrittenScratch(const Schedule& schedule, std::size_t representative, Space space);

    /// The shortest cyclic range that covers them at `rank`, which follows that program. Empty (count 0) when
    /// there are none.
    Blocks range(int rank) const;

private:
    const Schedule& schedule_;
    std::vector<int> blocks_;
};

/// The shortest cyclic range that covers the blocks of `space` that are written at `rank`: what it has to
/// have of that scratch vector. Empty (count 0) when it is not used.
Blocks scratch_range(const Schedule& schedule, int rank, Space space);

} // namespace tutti::schedule
