#pragma once

#include "algorithm/algorithms.hpp"
#include "algorithm/closed_forms.hpp"
#include "algorithm/families.hpp"
#include "algorithm/graph_rows.hpp"
#include "algorithm/levels/levels.hpp"
#include "schedule/place.hpp"

#include <algorithm>
#include <vector>

namespace tutti::algorithm::rows {

// Schedules for p ranks and a root that are not derived from one graph's allgather alone.

inline Schedule circulant_uniform(int p, int /*root*/) {
    return place(circulant_uniform_pattern(p), Collective::reduce_scatter);
}

// ---- Butterflies ----

using MakePhases = ButterflyPhases (*)(int ranks, int blocks, int halvings);

/// Whole vectors all the way.
template <MakePhases make>
Schedule butterfly_whole(int p, int /*root*/) {
    const ButterflyPhases phases = make(p, 1, 0);
    return place(then(phases.reduction, phases.routing), Collective::allreduce);
}

/// Halves all the way: as many blocks as the largest power of two.
template <MakePhases make>
Pattern butterfly_halving_pattern(int p) {
    const ButterflyPhases phases = make(p, static_cast<int>(power_below(p)), log2_down(p));
    return then(phases.reduction, phases.routing);
}

template <MakePhases make>
Schedule butterfly_halving(int p, int /*root*/) {
    return place(butterfly_halving_pattern<make>(p), Collective::allreduce);
}

/// Halves in the first half of the levels, as in Fig. 3.
inline Schedule butterfly_hybrid(int p, int /*root*/) {
    const int halvings = (log2_down(p) + 1) / 2;
    const ButterflyPhases phases = butterfly_overlapping(p, 1 << halvings, halvings);
    return place(then(phases.reduction, phases.routing), Collective::allreduce);
}

inline Schedule butterfly_reduce(int p, int root) {
    return place(restrict_to_root(butterfly_halving_pattern<butterfly_overlapping>(p), root),
                 Collective::reduce, root);
}

inline Schedule butterfly_reduce_scatter(int p, int /*root*/) {
    return place(butterfly_reduce_scatter_pattern(p), Collective::reduce_scatter);
}

// ---- Trees, and combinations ----

inline Schedule tree_broadcast(int p, int root) {
    return place(tree_broadcast_pattern(p, root), Collective::broadcast, root);
}

inline Schedule tree_reduce(int p, int root) {
    return place(dual(tree_broadcast_pattern(p, root)), Collective::reduce, root);
}

inline Schedule tree_allreduce(int p, int /*root*/) {
    const Pattern broadcast = tree_broadcast_pattern(p, 0);
    return place(then(dual(broadcast), broadcast), Collective::allreduce);
}

inline Schedule scatter_allgather(int p, int root) {
    const Pattern allgather = Halving::allgather(p);
    const Pattern scatter = reverse(restrict_to_root(allgather, root));
    return place(without_repeats(then(scatter, allgather), root), Collective::broadcast, root);
}

inline Schedule reduce_scatter_gather(int p, int root) {
    const Pattern allgather = Halving::allgather(p);
    return place(restrict_to_root(then(dual(allgather), allgather), root), Collective::reduce, root);
}

inline Schedule hypercube_allreduce(int p, int root) {
    return butterfly_whole<butterfly_overlapping>(p, root);
}

inline Schedule hypercube_barrier(int p, int /*root*/) {
    return place(butterfly_overlapping(p, 1, 0).reduction, Collective::barrier);
}

/// Groups of `radix` members each read the operands of all others of the group, in as many levels as needed
/// (Rabenseifner & Träff 2004, section 3.6, with exchanges instead of rings and several factors in one).
template <Collective collective, int radix>
Schedule exchange_by_radix(int p, int /*root*/) {
    std::vector<int> sizes;
    for (; p > 1; p /= sizes.front()) {
        sizes.insert(sizes.begin(), std::min(p, radix)); // the outermost may be smaller
    }
    return levels(collective, graph::LevelTree::equal(sizes), Acting::exchange);
}

// ---- Adapters for schedules without a root ----

template <Schedule (*make)(int)>
Schedule rootless(int p, int /*root*/) {
    return make(p);
}

template <Schedule (*make)(int, Inclusion), Inclusion inclusion>
Schedule prefixes(int p, int /*root*/) {
    return make(p, inclusion);
}

template <std::vector<int> (*dimensions)(int)>
Schedule torus_exchange(int p, int /*root*/) {
    return torus_alltoall(dimensions(p));
}

} // namespace tutti::algorithm::rows
