#include "algorithm/algorithms.hpp"
#include "graph/graphs.hpp"
#include "schedule/recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::algorithm {

using schedule::Action;
using schedule::Graph;
using schedule::Pattern;
using schedule::Schedule;
using schedule::Source;
using schedule::Space;
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

/// An edge as one of its ends names it.
struct Edge {
    int from;
    int to;
    int block;

    auto ends() const { return std::pair(from, to); }
};

void check_rank(int member, int named, const char* list, std::size_t members) {
    if (named != Source::nobody && (named < 0 || static_cast<std::size_t>(named) >= members)) {
        throw std::invalid_argument("member " + std::to_string(member) + " has " + std::to_string(named) +
                                    " in `" + list + "`: must be in 0.." + std::to_string(members - 1));
    }
}

/// The edges that `named` lists, sorted by their ends; several between two members in the order of blocks.
template <class Named>
std::vector<Edge> edges_of(std::span<const NamedNeighbors> members, const char* list, bool incoming,
                           Named named) {
    std::vector<Edge> edges;
    for (int member = 0; member < static_cast<int>(members.size()); ++member) {
        for (int block = 0; const int other : named(members[static_cast<std::size_t>(member)])) {
            check_rank(member, other, list, members.size());
            if (other != Source::nobody) {
                edges.push_back(incoming ? Edge{other, member, block} : Edge{member, other, block});
            }
            ++block;
        }
    }
    std::ranges::stable_sort(edges, {}, &Edge::ends);
    return edges;
}

[[noreturn]] void refuse_one_sided(const std::vector<Edge>& sent, const std::vector<Edge>& received,
                                   std::pair<int, int> ends) {
    const auto times = [&](const std::vector<Edge>& edges) {
        const auto count = std::ranges::count(edges, ends, &Edge::ends);
        return std::to_string(count) + (count == 1 ? " time" : " times");
    };
    throw std::invalid_argument("member " + std::to_string(ends.second) + " names member " +
                                std::to_string(ends.first) + " " + times(received) +
                                " in `sources`, but that names it " + times(sent) +
                                " in `destinations`: both ends of an edge must name it equally often");
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

Graph graph_of(std::span<const NamedNeighbors> members) {
    const auto sent = edges_of(members, "destinations", false,
                               [](const NamedNeighbors& named) { return std::span(named.destinations); });
    const auto received = edges_of(members, "sources", true,
                                   [](const NamedNeighbors& named) { return std::span(named.sources); });
    Graph graph;
    for (const NamedNeighbors& named : members) {
        graph.emplace_back(named.sources.size());
    }
    for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
        if (i == sent.size() || i == received.size() || sent[i].ends() != received[i].ends()) {
            // The lesser of the two has no counterpart.
            const bool is_sent =
                i == received.size() || (i != sent.size() && sent[i].ends() < received[i].ends());
            refuse_one_sided(sent, received, is_sent ? sent[i].ends() : received[i].ends());
        }
        graph[static_cast<std::size_t>(received[i].to)][static_cast<std::size_t>(received[i].block)] = {
            sent[i].from, sent[i].block};
    }
    return graph;
}

std::vector<int> grid_neighbors(int rank, const std::vector<int>& dims, const std::vector<bool>& wraps) {
    std::vector<int> neighbors(2 * dims.size());
    int stride = 1;
    for (std::size_t dim = dims.size(); dim-- > 0;) {
        const int length = dims[dim];
        const int place = rank / stride % length;
        const auto at = [&](int other) {
            const bool exists = wraps[dim] || (other >= 0 && other < length);
            return exists ? rank + ((other + length) % length - place) * stride : Source::nobody;
        };
        neighbors[2 * dim] = at(place - 1);
        neighbors[2 * dim + 1] = at(place + 1);
        stride *= length;
    }
    return neighbors;
}

Graph grid(const std::vector<int>& dims, const std::vector<bool>& wraps) {
    int members = 1;
    for (const int length : dims) {
        members *= length;
    }
    Graph graph;
    for (int rank = 0; rank < members; ++rank) {
        auto& sources = graph.emplace_back();
        for (int block = 0; const int neighbor : grid_neighbors(rank, dims, wraps)) {
            const int opposite = block ^ 1; // a block from before has been sent to after
            sources.push_back(neighbor == Source::nobody ? Source{} : Source{neighbor, opposite});
            ++block;
        }
    }
    return graph;
}

Schedule neighbor_exchange(Graph graph) {
    std::size_t blocks = 1;
    std::vector<schedule::Program> programs;
    for (int rank = 0; const auto& sources : graph) {
        schedule::Recorder recorder(1, sources.size());
        recorder.round();
        for (int block = 0; const Source& source : sources) {
            if (source.member != Source::nobody) {
                recorder.copy({rank, Space::output, {block, 1}},
                              {source.member, Space::input, {source.block, 1}});
                blocks = std::max(blocks, static_cast<std::size_t>(source.block) + 1);
            }
            ++block;
        }
        blocks = std::max(blocks, sources.size());
        programs.push_back(recorder.take());
        ++rank;
    }
    return {std::move(graph), static_cast<int>(blocks), std::move(programs)};
}

} // namespace tutti::algorithm
