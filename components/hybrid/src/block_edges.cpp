#include "call/plans.hpp"
#include "hybrid/src/blocks.hpp"

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using tutti::detail::Call;

bool sends_blocks(const Call& call) {
    return call.collective == Collective::shift || exchanges(call);
}

void BlockEdges::set(const Call& call, const ClusterState& cluster) {
    cluster_ = &cluster;
    number_ = call.root;
    const tutti::detail::CollectiveTraits& traits = tutti::detail::traits_of(call.collective);
    const tutti::detail::Neighborhood* const graph = neighborhood_of(call);
    pattern_ = graph != nullptr                       ? Pattern::graph
               : call.collective == Collective::shift ? Pattern::shift
               : traits.scatters()                    ? Pattern::from_root
               : !traits.gathers()                    ? Pattern::pairs
               : traits.is_rooted()                   ? Pattern::to_root
                                                      : Pattern::to_all;
    graph_edges_.clear();
    if (graph != nullptr) {
        set_graph(*graph->graph());
    }
}

void BlockEdges::set_graph(const schedule::Graph& graph) {
    const int here = cluster_->process();
    for (std::size_t receiver = 0; receiver < graph.size(); ++receiver) {
        const int to = cluster_->process_of(static_cast<int>(receiver));
        for (std::size_t block = 0; block < graph[receiver].size(); ++block) {
            const schedule::Source& source = graph[receiver][block];
            if (source.member == schedule::Source::nobody) {
                continue;
            }
            const int from = cluster_->process_of(source.member);
            if (from == here || to == here) {
                graph_edges_.push_back({{from, to},
                                        {.sender = source.member,
                                         .sent = static_cast<std::size_t>(source.block),
                                         .receiver = static_cast<int>(receiver),
                                         .received = block}});
            }
        }
    }
    std::ranges::stable_sort(graph_edges_, {}, &GraphEdge::processes);
}

BlockEdges::Ranks BlockEdges::only(int rank, int process) const {
    const bool is_there = cluster_->process_of(rank) == process;
    return {rank, is_there ? rank + 1 : rank};
}

BlockEdges::Ranks BlockEdges::receivers_in(int process) const {
    switch (pattern_) {
    case Pattern::to_root:
        return only(number_, process);
    case Pattern::to_all:
        return {BlockEdge::everybody, BlockEdge::everybody + 1};
    default:
        return {cluster_->first_rank(process), cluster_->first_rank(process + 1)};
    }
}

BlockEdges::Ranks BlockEdges::senders_in(int process, int receiver) const {
    switch (pattern_) {
    case Pattern::from_root:
        return only(number_, process);
    case Pattern::shift:
        return only((receiver - number_ + cluster_->size()) % cluster_->size(), process);
    default:
        return {cluster_->first_rank(process), cluster_->first_rank(process + 1)};
    }
}

BlockEdge BlockEdges::edge(int sender, int receiver) const {
    // A shift has one block, and the block that all receive has one place wherever it is sent.
    const bool is_one = pattern_ == Pattern::shift;
    return {.sender = sender,
            .sent = is_one || pattern_ == Pattern::to_all ? 0 : static_cast<std::size_t>(receiver),
            .receiver = receiver,
            .received = is_one ? 0 : static_cast<std::size_t>(sender)};
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
