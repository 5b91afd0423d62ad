#pragma once

#include "algorithm/closed_forms.hpp"
#include "algorithm/families.hpp"
#include "algorithm/registry.hpp"
#include "graph/circulant.hpp"
#include "graph/torus.hpp"
#include "schedule/place.hpp"

#include <string_view>
#include <vector>

namespace tutti::algorithm::rows {

// The rows that every graph family gets from its allgather. p = ranks.

using graph::Skips;
using schedule::Pattern;
using schedule::place;
using schedule::Schedule;

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

template <class Graph>
constexpr Algorithm allgather_row(std::string_view name, Protocols protocols, std::string_view source) {
    return {.name = name,
            .collective = Collective::allgather,
            .ranks = Graph::ranks,
            .protocols = protocols,
            .make = allgather<Graph>,
            .cost =
                [](int p, int) {
                    return CostTerms{Graph::rounds(p), p - 1, 0};
                },
            .scratch = no_scratch,
            .source = source};
}

template <class Graph>
constexpr Algorithm reduce_scatter_row(std::string_view name, Protocols protocols, long (*scratch)(int, int),
                                       std::string_view source) {
    return {.name = name,
            .collective = Collective::reduce_scatter,
            .order = Order::same,
            .ranks = Graph::ranks,
            .protocols = protocols,
            .make = reduce_scatter<Graph>,
            .cost =
                [](int p, int) {
                    return CostTerms{Graph::rounds(p), p - 1, p - 1};
                },
            .scratch = scratch,
            .source = source};
}

template <class Graph>
constexpr Algorithm allreduce_row(std::string_view name, Protocols protocols, std::string_view source) {
    return {.name = name,
            .collective = Collective::allreduce,
            .order = Order::same,
            .ranks = Graph::ranks,
            .protocols = protocols,
            .make = allreduce<Graph>,
            .cost =
                [](int p, int) {
                    return CostTerms{2 * Graph::rounds(p), 2L * (p - 1), p - 1};
                },
            .scratch = no_scratch,
            .source = source};
}

template <class Graph>
constexpr Algorithm gather_row(std::string_view name, long (*scratch)(int, int), std::string_view source) {
    return {.name = name,
            .collective = Collective::gather,
            .ranks = Graph::ranks,
            .protocols = pulled,
            .make = gather<Graph>,
            .cost =
                [](int p, int) {
                    return CostTerms{Graph::rounds(p), p - 1, 0};
                },
            .scratch = scratch,
            .source = source};
}

template <class Graph>
constexpr Algorithm scatter_row(std::string_view name, CostTerms (*cost)(int, int), long (*scratch)(int, int),
                                std::string_view source) {
    return {.name = name,
            .collective = Collective::scatter,
            .ranks = Graph::ranks,
            .protocols = pulled,
            .make = scatter<Graph>,
            .cost = cost,
            .scratch = scratch,
            .source = source};
}

} // namespace tutti::algorithm::rows
