#pragma once

#include "run/own_plan.hpp"
#include "schedule/schedule.hpp"

#include <tutti/detail/call.hpp>

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

    /// As member `rank`, which sends to `destinations`. Time and memory while it is made O(members + edges).
    Neighborhood(schedule::Graph graph, int rank, std::vector<int> destinations);

    int rank() const { return rank_; }
    int members() const { return members_; }
    std::span<const int> sources() const { return sources_; }
    std::span<const int> destinations() const { return destinations_; }
    std::span<const Loop> loops() const { return loops_; }
    /// Of the whole graph, never 0. Graphs that differ have different digests.
    std::uint64_t digest() const { return digest_; }
    const std::shared_ptr<const run::OwnPlan>& plan() const { return plan_; }

private:
    int rank_;
    int members_;
    std::vector<int> sources_;
    std::vector<int> destinations_;
    std::vector<Loop> loops_;
    std::uint64_t digest_;
    std::shared_ptr<const run::OwnPlan> plan_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace tutti::engine {

/// Of a call among neighbours; 0 of any other.
inline std::uint64_t digest_of_graph(const detail::Call& call) {
    const detail::Neighborhood* const graph = neighborhood_of(call);
    return graph != nullptr ? graph->digest() : 0;
}

} // namespace tutti::engine
