#include "algorithm/neighbors.hpp"

#include "schedule/recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace tutti::algorithm {

using schedule::Graph;
using schedule::Schedule;
using schedule::Source;
using schedule::Space;

namespace {

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
