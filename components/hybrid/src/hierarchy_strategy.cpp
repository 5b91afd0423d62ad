#include "hybrid/src/hierarchy_strategy.hpp"

#include "hybrid/src/cluster_call.hpp"
#include "hybrid/src/strategies.hpp"

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using hybrid::Strategy;

namespace {

/// Up to so many bytes one thread should combine in less time than two more exchanges take: an estimate,
/// since there was no machine with a CPU for every member to measure it on.
constexpr std::size_t short_bytes = std::size_t{16} << 10U;

/// Whether one member of a process does everything: alone in its process, with vectors too short to be worth
/// two more exchanges, and if the members share CPUs anyway.
bool goes_solo(const ClusterCall& call) {
    const std::size_t bytes = call.total_bytes();
    if (!hybrid::can_be_cut(call.collective()) || call.chosen() != Strategy::leader ||
        bytes <= hybrid::one_exchange_bytes) {
        return false;
    }
    if (bytes > hybrid::segment_bytes) {
        return call.cluster()
            .all_go_solo(); // segments show on the channel, so all processes must agree on them
    }
    return !call.is_alone() && (call.cluster().is_crowded() || bytes <= short_bytes);
}

/// Whether a member that is alone needs nobody to be shown its vectors.
bool goes_alone(const ClusterCall& call) {
    // MPI's own allgather does not take one vector for two.
    const bool aliases = call.collective() == Collective::allgather && !call.is_separate() &&
                         call.algorithm() == hybrid::library_algorithm;
    return call.is_alone() && call.chosen() != Strategy::pipelined && hybrid::can_be_cut(call.collective()) &&
           !aliases;
}

} // namespace

std::unique_ptr<HierarchyStrategy> make_strategy(ClusterCall& call) {
    return call.sends_blocks()                           ? make_blocks(call)
           : call.algorithm() == hybrid::chain_algorithm ? make_chain(call)
           : goes_solo(call)                             ? make_solo(call)
           : goes_alone(call)                            ? make_alone(call)
           : call.chosen() == Strategy::leader           ? make_leader(call)
                                                         : make_pipeline(call);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
