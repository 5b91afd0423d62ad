#pragma once

#include "algorithm/algorithms.hpp"
#include "algorithm/closed_forms.hpp"

namespace tutti::algorithm::rows {

using graph::Skips;
using schedule::Pattern;
using schedule::place;
using schedule::Schedule;

// ---- The graphs: their allgathers, and in how many rounds ----

template <Skips kind>
struct Circular {
    static constexpr Ranks ranks = Ranks::any;
    static Pattern allgather(int p) { return circulant_allgather_pattern(p, graph::skips(p, kind)); }
    static long rounds(int p) { return static_cast<long>(graph::skips(p, kind).size()) - 1; }
};

template <std::vector<int> (*dimensions)(int), Ranks which>
struct Torus {
    static constexpr Ranks ranks = which;
    static Pattern allgather(int p) { return torus_allgather_pattern(dimensions(p)); }
    static long rounds(int p) {
        long sum = 0;
        for (const int members : dimensions(p)) {
            sum += members - 1;
        }
        return sum;
    }
    /// The rounds of a broadcast by recursive doubling along the lines.
    static long doubling_rounds(int p) {
        long sum = 0;
        for (const int members : dimensions(p)) {
            sum += graph::rounds_log2(members);
        }
        return sum;
    }
    static Pattern doubling_broadcast(int p, int root) {
        return torus_broadcast_pattern(dimensions(p), which == Ranks::any, root);
    }
};

using Halving = Circular<Skips::halving>;
using Ring = Torus<graph::ring, Ranks::any>;
using Mesh = Torus<graph::mesh, Ranks::any>;
using Hypercube = Torus<graph::hypercube, Ranks::powers_of_two>;

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

// ---- Trees, and combinations ----

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

/// Copies from their owners to who wants them, in one exchange; `pushed`: made by their owners.
template <Collective collective, bool pushed>
constexpr Algorithm copies_row(std::string_view name, const Protocols& protocols,
                               CostTerms (*cost)(int, int)) {
    return {.name = name,
            .collective = collective,
            .protocols = protocols,
            .make = [](int p, int root) { return copies(collective, p, root, pushed); },
            .cost = cost,
            .source = shared_memory,
            .reach = Reach::everybody,
            .leaves_unread = pushed};
}

template <Schedule (*make)(int, Inclusion), Inclusion inclusion>
Schedule prefixes(int p, int /*root*/) {
    return make(p, inclusion);
}

template <std::vector<int> (*dimensions)(int)>
Schedule torus_exchange(int p, int /*root*/) {
    return torus_alltoall(dimensions(p));
}

// The rows that every graph family gets from its allgather. p = ranks.

inline constexpr Protocols everywhere{.eager = true, .pulled = true, .in_place = true};
inline constexpr Protocols pulled{.pulled = true, .in_place = true};
inline constexpr Protocols separate{.pulled = true};
inline constexpr Protocols eager{.eager = true};
inline constexpr Protocols eager_or_zero_copy{.eager = true, .pulled = true};
inline constexpr Protocols everywhere_or_one_hop{
    .eager = true, .pulled = true, .in_place = true, .one_hop = true};
inline constexpr Protocols one_hop{.pulled = true, .one_hop = true};
inline constexpr Protocols pulled_or_shared{.pulled = true, .in_place = true, .shared = true};
inline constexpr Protocols eager_or_one_hop{.eager = true, .pulled = true, .one_hop = true};

// ---- The schedules of the collectives ----

template <class Graph>
Schedule allgather(int p, int /*root*/) {
    return place(Graph::allgather(p), Collective::allgather);
}

template <class Graph>
Schedule reduce_scatter(int p, int /*root*/) {
    return place(dual(Graph::allgather(p)), Collective::reduce_scatter);
}

template <class Graph>
Schedule allreduce(int p, int /*root*/) {
    const Pattern allgather = Graph::allgather(p);
    return place(then(dual(allgather), allgather), Collective::allreduce);
}

template <class Graph>
Schedule gather(int p, int root) {
    return place(restrict_to_root(Graph::allgather(p), root), Collective::gather, root);
}

template <class Graph>
Schedule scatter(int p, int root) {
    return place(reverse(restrict_to_root(Graph::allgather(p), root)), Collective::scatter, root);
}

template <class Graph>
Schedule broadcast(int p, int root) {
    return place(restrict_to_block(Graph::allgather(p), root), Collective::broadcast, root);
}

template <class Graph>
Schedule reduce(int p, int root) {
    return place(dual(restrict_to_block(Graph::allgather(p), root)), Collective::reduce, root);
}

template <class Graph>
Schedule doubling_broadcast(int p, int root) {
    return place(Graph::doubling_broadcast(p, root), Collective::broadcast, root);
}

template <class Graph>
Schedule doubling_reduce(int p, int root) {
    return place(dual(Graph::doubling_broadcast(p, root)), Collective::reduce, root);
}

// ---- The rows ----

/// A row whose cost is so many times the rounds of the graph, p - 1 blocks and reductions.
template <class Graph, int rounds, int blocks, int reductions>
constexpr Algorithm graph_row(std::string_view name, Collective collective, Protocols protocols,
                              schedule::Schedule (*make)(int, int), long (*scratch)(int, int),
                              std::string_view source) {
    return {.name = name,
            .collective = collective,
            .order = reductions == 0 ? Order::none : Order::same,
            .ranks = Graph::ranks,
            .protocols = protocols,
            .make = make,
            .cost =
                [](int p, int) {
                    return CostTerms{rounds * Graph::rounds(p), blocks * (p - 1L), reductions * (p - 1L)};
                },
            .scratch = scratch,
            .source = source};
}

template <class Graph>
constexpr Algorithm allgather_row(std::string_view name, Protocols protocols, std::string_view source) {
    return graph_row<Graph, 1, 1, 0>(name, Collective::allgather, protocols, allgather<Graph>, no_scratch,
                                     source);
}

template <class Graph>
constexpr Algorithm reduce_scatter_row(std::string_view name, Protocols protocols, long (*scratch)(int, int),
                                       std::string_view source) {
    return graph_row<Graph, 1, 1, 1>(name, Collective::reduce_scatter, protocols, reduce_scatter<Graph>,
                                     scratch, source);
}

template <class Graph>
constexpr Algorithm allreduce_row(std::string_view name, Protocols protocols, std::string_view source) {
    return graph_row<Graph, 2, 2, 1>(name, Collective::allreduce, protocols, allreduce<Graph>, no_scratch,
                                     source);
}

template <class Graph>
constexpr Algorithm gather_row(std::string_view name, long (*scratch)(int, int), std::string_view source) {
    return graph_row<Graph, 1, 1, 0>(name, Collective::gather, pulled, gather<Graph>, scratch, source);
}

template <class Graph>
constexpr Algorithm scatter_row(std::string_view name, CostTerms (*cost)(int, int), long (*scratch)(int, int),
                                std::string_view source) {
    Algorithm row =
        graph_row<Graph, 1, 1, 0>(name, Collective::scatter, pulled, scatter<Graph>, scratch, source);
    row.cost = cost;
    return row;
}

// Collectives over the levels of the machine on which a group runs. If nothing is known of it, all ranks are
// one group, which is split into groups of at most eight.

template <Acting acting, Collective collective>
schedule::Schedule on_levels(const graph::LevelTree& tree, int root) {
    return levels(collective, tree_to_run_on(acting, collective, tree), acting, root);
}

template <Acting acting, Collective collective>
schedule::Schedule on_one_group(int p, int root) {
    return on_levels<acting, collective>(graph::LevelTree::nested(p, {}), root);
}

template <Acting acting, Collective collective>
constexpr Algorithm levels_row(CostTerms (*cost)(int, int), Bound bound, long (*scratch)(int, int)) {
    constexpr bool needs_equal_groups = acting == Acting::exchange && collective == Collective::alltoall;
    // Results are stored to all of a group, or those of a reduction by their owners to the root.
    constexpr bool stores_to_others =
        is_direct(acting) || (acting == Acting::shares && collective == Collective::reduce);
    return {.name = row_name(acting),
            .collective = collective,
            .order = detail::traits_of(collective).reduces() ? Order::canonical : Order::none,
            .ranks = needs_equal_groups ? Ranks::powers_of_two : Ranks::any,
            .protocols = protocols_of(acting, collective),
            .make = on_one_group<acting, collective>,
            .cost = cost,
            .bound = bound,
            .scratch = scratch,
            .source = "levels of the machine, docs/research/traffic.md",
            .reach = stores_to_others ? Reach::everybody : Reach::peers,
            .make_on = on_levels<acting, collective>};
}

} // namespace tutti::algorithm::rows
