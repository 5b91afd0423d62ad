#include "schedule/scratch.hpp"

#include <algorithm>
#include <vector>

namespace tutti::schedule {

namespace {

/// Calls `visit(place)` for everything that a representative's own program writes. No schedule writes to the
/// scratch of another member: synchronise and the verifier see to outputs only there.
template <class Visit>
void for_each_write(const Program& program, Visit visit) {
    for (const Round& round : program) {
        for (const Move& move : round) {
            visit(move.to);
        }
    }
}

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

Blocks scratch_range(const Schedule& schedule, int rank, Space space) {
    std::vector<char> used(static_cast<std::size_t>(schedule.blocks()), 0);
    const Translation rename = schedule.translation(rank);
    for_each_write(schedule.programs()[schedule.representative(rank)], [&](const Place& to) {
        for (int i = 0; to.space == space && i < to.blocks.count; ++i) {
            const int block = rename.block(wrap(to.blocks.first + i, schedule.blocks()));
            used[static_cast<std::size_t>(block)] = 1;
        }
    });
    return shortest_cover(used);
}

} // namespace tutti::schedule
