#include "call/plans/neighborhood.hpp"

#include "algorithm/neighbors.hpp"
#include "mixed.hpp"
#include "plan/plan.hpp"
#include "schedule/synchronise.hpp"

#include <utility>

namespace tutti::inline TUTTI_NAMESPACE::detail {

namespace {

std::uint64_t digest_of(const schedule::Graph& graph) {
    std::uint64_t value = graph.size();
    for (const auto& sources : graph) {
        value = mixed(value, sources.size());
        for (const schedule::Source& source : sources) {
            value = mixed(mixed(value, static_cast<std::uint64_t>(source.member)),
                          static_cast<std::uint64_t>(source.block));
        }
    }
    return value | 1U;
}

} // namespace

Neighborhood::Neighborhood(schedule::Graph graph, int rank, std::vector<int> destinations)
    : rank_(rank), members_(static_cast<int>(graph.size())), destinations_(std::move(destinations)),
      digest_(digest_of(graph)) {
    const auto& sources = graph[static_cast<std::size_t>(rank)];
    for (std::size_t block = 0; block < sources.size(); ++block) {
        sources_.push_back(sources[block].member);
        if (sources[block].member == rank) {
            loops_.push_back({static_cast<std::size_t>(sources[block].block), block});
        }
    }
    const auto synchronised =
        schedule::synchronise(algorithm::neighbor_exchange(std::move(graph)), schedule::Protocol::zero_copy);
    plan_ =
        std::make_shared<const run::OwnPlan>(plan::for_neighbor_exchange(plan::compile(synchronised, rank)));
}

} // namespace tutti::inline TUTTI_NAMESPACE::detail
