#include "schedule/scratch.hpp"

#include <algorithm>
#include <utility>

namespace tutti::schedule {

namespace {

/// The complement of the longest cyclic gap between `used` blocks, which are in order.
Blocks shortest_cover(const std::vector<int>& used, int blocks) {
    if (used.empty()) {
        return {0, 0};
    }
    int first = 0;
    int longest = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        const int next = i + 1 < used.size() ? used[i + 1] : used.front() + blocks;
        if (const int gap = next - used[i] - 1; gap > longest) {
            longest = gap;
            first = wrap(next, blocks);
        }
    }
    return {first, blocks - longest};
}

} // namespace

/// No schedule writes to the scratch of another member: synchronise and the verifier see to outputs only
/// there.
WrittenScratch::WrittenScratch(const Schedule& schedule, std::size_t representative, Space space)
    : schedule_(schedule) {
    std::vector<char> used(static_cast<std::size_t>(schedule.blocks()), 0);
    for (const Move& move : schedule.programs()[representative].moves()) {
        if (move.to.space == space) {
            for_each_block(move.to.blocks, schedule.blocks(), [&](int block) {
                if (std::exchange(used[static_cast<std::size_t>(block)], 1) == 0) {
                    blocks_.push_back(block);
                }
            });
        }
    }
}

Blocks WrittenScratch::range(int rank) const {
    const Translation rename = schedule_.translation(rank);
    std::vector<int> used(blocks_.size());
    std::ranges::transform(blocks_, used.begin(), [&](int block) { return rename.block(block); });
    if (!std::ranges::is_sorted(used)) {
        std::ranges::sort(used);
    }
    return shortest_cover(used, schedule_.blocks());
}

Blocks scratch_range(const Schedule& schedule, int rank, Space space) {
    return WrittenScratch(schedule, schedule.representative(rank), space).range(rank);
}

} // namespace tutti::schedule
