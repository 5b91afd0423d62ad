#pragma once

#include "hybrid/src/cluster_state.hpp"
#include "schedule/schedule.hpp"

#include <tutti/detail/call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// A block that one member sends to another: their global ranks, and which it is of those that they send and
/// receive.
struct BlockEdge {
    /// In place of a receiver: all members of the process.
    static constexpr int everybody = -1;

    int sender = 0;
    std::size_t sent = 0;
    int receiver = 0;
    std::size_t received = 0;

    bool is_for(int rank) const { return receiver == rank || receiver == everybody; }
};

/// Whether a call sends blocks from member to member, rather than vectors that all processes know: only
/// sender and receiver know the length of a block, or every member receives from one other.
bool sends_blocks(const tutti::detail::Call& call);

/// Which members send blocks to which in such a call.
class BlockEdges {
public:
    /// Those of this call.
    void set(const tutti::detail::Call& call, const ClusterState& cluster);

    /// Visits those from the members of one process to those of another, in an order that is the same in both
    /// processes. One of the processes must be this one.
    template <class Visit>
    void for_each(int from, int to, Visit visit) const {
        if (pattern_ == Pattern::graph) {
            const std::pair processes(from, to);
            for (auto each = std::ranges::lower_bound(graph_edges_, processes, {}, &GraphEdge::processes);
                 each != graph_edges_.end() && each->processes == processes; ++each) {
                visit(each->edge);
            }
            return;
        }
        const Ranks receivers = receivers_in(to);
        for (int receiver = receivers.first; receiver < receivers.last; ++receiver) {
            const Ranks senders = senders_in(from, receiver);
            for (int sender = senders.first; sender < senders.last; ++sender) {
                visit(edge(sender, receiver));
            }
        }
    }

private:
    enum class Pattern : std::uint8_t { pairs, to_root, from_root, to_all, shift, graph };
    struct Ranks {
        int first;
        int last;
    };
    struct GraphEdge {
        std::pair<int, int> processes;
        BlockEdge edge;
    };

    Ranks receivers_in(int process) const;
    Ranks senders_in(int process, int receiver) const;
    Ranks only(int rank, int process) const;
    BlockEdge edge(int sender, int receiver) const;
    void set_graph(const schedule::Graph& graph);

    const ClusterState* cluster_ = nullptr;
    Pattern pattern_ = Pattern::pairs;
    /// The root, or the distance.
    int number_ = 0;
    /// Those of this process, by processes.
    std::vector<GraphEdge> graph_edges_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
