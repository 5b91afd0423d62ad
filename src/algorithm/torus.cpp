#include "graph/torus.hpp"

#include "algorithm/families.hpp"

#include <numeric>
#include <utility>

namespace tutti::algorithm {

using schedule::Action;
using schedule::Pattern;
using schedule::Symmetry;
using schedule::Transfer;

// Dimension by dimension, fastest first, each line is a ring. Invariant: when a dimension is done, a member
// has the blocks of all members that differ from it in this and the faster dimensions only, which are one
// range; in the next dimension such ranges go round whole.
Pattern torus_allgather_pattern(const std::vector<int>& dimensions) {
    std::vector<Transfer> received;
    int round = 0;
    int ranks = 1;
    for (std::size_t index = dimensions.size(); index-- > 0;) {
        const int members = dimensions[index];
        const int unit = ranks;
        ranks *= members;
        for (int step = 1; step < members; ++step) {
            received.push_back(
                {round++, (members - 1) * unit, {(members - step) * unit, unit}, Action::copy});
        }
    }
    return {ranks, ranks, round, Symmetry::torus(dimensions), {std::move(received)}};
}

// Invariant: after a dimension a member has the blocks of all members that differ from it in this and the
// slower dimensions only.
Pattern levels_allgather_pattern(const std::vector<int>& dimensions) {
    const int ranks = std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies());
    std::vector<Transfer> received;
    for (std::size_t index = 0; index < dimensions.size(); ++index) {
        const int unit = graph::stride(dimensions, index);
        for (int block = unit; block < ranks; block += unit) {
            if (const int step = block / unit % dimensions[index]; step != 0) {
                received.push_back({static_cast<int>(index), step * unit, {block, 1}, Action::copy});
            }
        }
    }
    return {ranks,
            ranks,
            static_cast<int>(dimensions.size()),
            Symmetry::torus(dimensions),
            {std::move(received)}};
}

namespace {

/// A broadcast along a line of `members` from position 0 by recursive doubling: the receiver of each half
/// hands on within its half. For every other position, from where and when it receives.
struct LineBroadcast {
    std::vector<int> from;
    std::vector<int> round;
    int rounds = 0;
};

LineBroadcast halve(int members) {
    LineBroadcast line{std::vector<int>(static_cast<std::size_t>(members), 0),
                       std::vector<int>(static_cast<std::size_t>(members), 0), 0};
    struct Range {
        int first;
        int count;
        int round;
    };
    std::vector<Range> open{{0, members, 0}};
    while (!open.empty()) {
        const Range range = open.back();
        open.pop_back();
        if (range.count == 1) {
            line.rounds = std::max(line.rounds, range.round);
            continue;
        }
        const int kept = (range.count + 1) / 2;
        const int other = range.first + kept;
        line.from[static_cast<std::size_t>(other)] = range.first;
        line.round[static_cast<std::size_t>(other)] = range.round;
        open.push_back({range.first, kept, range.round + 1});
        open.push_back({other, range.count - kept, range.round + 1});
    }
    return line;
}

} // namespace

// In virtual ranks, counted from the root on: a member whose coordinates are zero except for the dimensions
// that are done has the vector. So a member receives in the last dimension in which it differs from the root.
Pattern torus_broadcast_pattern(const std::vector<int>& dimensions, bool fastest_first, int root) {
    const int ranks = std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies());
    const Symmetry torus = Symmetry::torus(dimensions);
    std::vector<std::vector<Transfer>> received(static_cast<std::size_t>(ranks));
    int rounds = 0;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const std::size_t index = fastest_first ? dimensions.size() - 1 - i : i;
        const LineBroadcast line = halve(dimensions[index]);
        const int unit = graph::stride(dimensions, index);
        for (int rank = 0; rank < ranks; ++rank) {
            const int coordinate = rank / unit % dimensions[index];
            if (coordinate == 0) {
                continue;
            }
            const auto position = static_cast<std::size_t>(coordinate);
            const int from = rank + (line.from[position] - coordinate) * unit;
            received[static_cast<std::size_t>(torus.translated(rank, root, ranks))] = {
                {rounds + line.round[position], torus.translated(from, root, ranks), {0, 1}, Action::copy}};
        }
        rounds += line.rounds;
    }
    return {ranks, 1, rounds, Symmetry::none, std::move(received)};
}

// Invariant: of every part of the ranks that is not split yet one member has the vector, the root where it is
// the root's part, else the first. Parts are ranges of ranks, so the dual combines in rank order.
Pattern tree_broadcast_pattern(int ranks, int root) {
    struct Range {
        int first;
        int count;
        int leader;
        int round;
    };
    std::vector<std::vector<Transfer>> received(static_cast<std::size_t>(ranks));
    std::vector<Range> open{{0, ranks, root, 0}};
    int rounds = 0;
    while (!open.empty()) {
        const Range range = open.back();
        open.pop_back();
        rounds = std::max(rounds, range.round);
        if (range.count == 1) {
            continue;
        }
        const int half = (range.count + 1) / 2;
        const int middle = range.first + half;
        const bool keeps_first = range.leader < middle;
        const int other = keeps_first ? middle : range.first;
        received[static_cast<std::size_t>(other)] = {{range.round, range.leader, {0, 1}, Action::copy}};
        open.push_back({range.first, half, keeps_first ? range.leader : range.first, range.round + 1});
        open.push_back({middle, range.count - half, keeps_first ? middle : range.leader, range.round + 1});
    }
    return {ranks, 1, rounds, Symmetry::none, std::move(received)};
}

} // namespace tutti::algorithm
