#pragma once

#include "run/own_plan.hpp"
#include "schedule/schedule.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/neighbors.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// A graph of members as one of them has it: its neighbours, and its plan of an all-to-all among them. Not
/// changed once made, so that any thread may read it.
class Neighborhood {
public:
    /// A block that the member sends to itself: its numbers among those sent and received.
    struct Loop {
        std::size_t sent;
        std::size_t received;
    };

    /// As member `rank`, which sends to `destinations`. Time and memory O(members + edges).
    Neighborhood(schedule::Graph graph, int rank, std::vector<int> destinations);

    int rank() const { return rank_; }
    int members() const { return members_; }
    std::span<const int> sources() const { return sources_; }
    std::span<const int> destinations() const { return destinations_; }
    std::span<const Loop> loops() const { return loops_; }
    /// The neighbours of all members.
    const std::shared_ptr<const schedule::Graph>& graph() const { return graph_; }
    /// A digest of the whole graph, never 0. Graphs that differ have different digests.
    std::uint64_t digest() const { return digest_; }
    const std::shared_ptr<const run::OwnPlan>& plan() const { return plan_; }

private:
    int rank_;
    int members_;
    std::vector<int> sources_;
    std::vector<int> destinations_;
    std::vector<Loop> loops_;
    std::shared_ptr<const schedule::Graph> graph_;
    std::uint64_t digest_;
    std::shared_ptr<const run::OwnPlan> plan_;
};

/// How many sources and destinations a member has named.
using NamedCounts = std::array<std::size_t, 2>;

/// See Member::neighbors(): `named` has the sources and destinations of all members, one after the other.
TUTTI_COMPONENT_API Neighbors neighbors_of(int rank, std::span<const NamedCounts> counts,
                                           std::span<const int> named);
/// See Member::grid().
TUTTI_COMPONENT_API Neighbors neighbors_in_grid(int rank, int members, const std::vector<int>& dims,
                                                const std::vector<bool>& wraps);

/// Member::neighbors(), for any kind of member.
template <class Member>
Neighbors exchange_neighbors(Member& member, const std::vector<int>& sources,
                             const std::vector<int>& destinations, const SourceLine& where) {
    const Options options{.where = where};
    std::vector<NamedCounts> counts(static_cast<std::size_t>(member.size()));
    const NamedCounts own{sources.size(), destinations.size()};
    member.allgather(std::span(&own, 1), counts, options);
    std::vector<std::size_t> sums;
    sums.reserve(counts.size());
    for (const NamedCounts& each : counts) {
        sums.push_back(each[0] + each[1]);
    }
    std::vector<int> mine(sources);
    mine.insert(mine.end(), destinations.begin(), destinations.end());
    std::vector<int> named(sum_of(sums));
    member.allgather(mine, named, Counts(sums), options);
    return neighbors_of(member.rank(), counts, named);
}

} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace tutti::engine {

/// The digest of the graph of a call among neighbours; 0 for any other call.
inline std::uint64_t digest_of_graph(const detail::Call& call) {
    const detail::Neighborhood* const graph = neighborhood_of(call);
    return graph != nullptr ? graph->digest() : 0;
}

} // namespace tutti::engine
