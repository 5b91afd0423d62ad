#include "schedule/scratch.hpp"

#include <algorithm>
#include <utility>

namespace tutti::schedule {

namespace {

/// The complement of the longest cyclic run of zeros.
Blocks shortest_cover(const std::vector<char>& used) {
    const auto blocks = used.size();
    std::size_t gap_end = 0;
    std::size_t longest = 0;
    std::size_t gap = 0;
    for (std::size_t i = 0; i < 2 * blocks; ++i) {
        if (used[i % blocks] != 0) {
            gap = 0;
        } else if (++gap > longest) {
            longest = gap;
            gap_end = (i + 1) % blocks;
        }
    }
    longest = std::min(longest, blocks);
    return {static_cast<int>(gap_end), static_cast<int>(blocks - longest)};
}

} // namespace

/// No schedule writes to the scratch of another member: synchronise and the verifier see to outputs only
/// there.
WrittenScratch::WrittenScratch(const Schedule& schedule, std::size_t representative, Space space)
    : schedule_(schedule) {
    std::vector<char> used(static_cast<std::size_t>(schedule.blocks()), 0);
    for (const Round& round : schedule.programs()[representative]) {
        for (const Move& move : round) {
            for (int i = 0; move.to.space == space && i < move.to.blocks.count; ++i) {
                const int block = wrap(move.to.blocks.first + i, schedule.blocks());
                if (std::exchange(used[static_cast<std::size_t>(block)], 1) == 0) {
                    blocks_.push_back(block);
                }
            }
        }
    }
}

Blocks WrittenScratch::range(int rank) const {
    std::vector<char> used(static_cast<std::size_t>(schedule_.blocks()), 0);
    const Translation rename = schedule_.translation(rank);
    for (const int block : blocks_) {
        used[static_cast<std::size_t>(rename.block(block))] = 1;
    }
    return shortest_cover(used);
}

Blocks scratch_range(const Schedule& schedule, int rank, Space space) {
    return WrittenScratch(schedule, schedule.representative(rank), space).range(rank);
}

} // namespace tutti::schedule
