#include "algorithm/algorithms.hpp"
#include "algorithm/families.hpp"
#include "algorithm/registry.hpp"
#include "graph/circulant.hpp"
#include "graph/torus.hpp"
#include "schedule/place.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tutti::algorithm {

using graph::Skips;
using schedule::Collective;
using schedule::Pattern;
using schedule::place;
using schedule::Schedule;

namespace {

// ---- The graphs: everything a family's collectives are derived from ----

/// A graph as the rows below need it: its allgather, and in how many rounds.
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
    /// Of a broadcast by recursive doubling along the lines.
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

// ---- The collectives of any graph with an allgather ----

constexpr Forms everywhere{true, true, true};
constexpr Forms pulled{false, true, true};
constexpr Forms separate{false, true, false};
constexpr Forms carried{true, false, false};

// Scratch, in blocks.

long no_scratch(int /*p*/, int /*root*/) {
    return 0;
}

long one_block(int /*p*/, int /*root*/) {
    return 1;
}

/// Partial results of members that are not the root.
long one_partial(int p, int /*root*/) {
    return p > 2 ? 1 : 0;
}

long half_the_blocks(int p, int /*root*/) {
    return p / 2;
}

long all_but_one(int p, int /*root*/) {
    return p - 1;
}

long all_but_two(int p, int /*root*/) {
    return std::max(p - 2, 0);
}

/// Blocks that have more than one hop to go.
long all_but_three(int p, int /*root*/) {
    return std::max(p - 3, 0);
}

/// The blocks that the first to receive half of them passes on: all but its own.
long half_but_own(int p, int /*root*/) {
    return std::max(p / 2 - 1, 0);
}

/// Blocks on the way through a member, whose own one is not among them.
template <Skips kind>
long largest_gap(int p, int /*root*/) {
    const auto skips = graph::skips(p, kind);
    int gap = 1;
    for (std::size_t index = 0; index + 1 < skips.size(); ++index) {
        gap = std::max(gap, skips[index] - skips[index + 1]);
    }
    return gap - 1;
}

/// All rows but one's own, whose range starts within a row at some members; in a single row, all blocks that
/// another member has the last word on.
long mesh_partials(int p, int /*root*/) {
    const auto mesh = graph::mesh(p);
    return mesh[0] == 1 ? std::max(p - 2, 0) : (mesh[0] - 1L) * mesh[1];
}

// Rounds and blocks of one exchange in which a member receives and combines so much.
Counts one_exchange(int p, long blocks, long reductions) {
    return p == 1 ? Counts{} : Counts{1, blocks, reductions};
}

long log2_up(int p) {
    return graph::rounds_log2(p);
}

/// The largest power of two that is not above p.
long power_below(int p) {
    return static_cast<long>(std::bit_floor(static_cast<unsigned>(p)));
}

int log2_down(int p) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(p))) - 1;
}

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

template <class Graph>
constexpr Algorithm allgather_row(std::string_view name, Forms forms, std::string_view source) {
    return {name,
            Collective::allgather,
            Order::none,
            Graph::ranks,
            forms,
            allgather<Graph>,
            [](int p, int) {
                return Counts{Graph::rounds(p), p - 1, 0};
            },
            Bound::exact,
            no_scratch,
            source};
}

template <class Graph>
constexpr Algorithm reduce_scatter_row(std::string_view name, Forms forms, long (*scratch)(int, int),
                                       std::string_view source) {
    return {name,
            Collective::reduce_scatter,
            Order::same,
            Graph::ranks,
            forms,
            reduce_scatter<Graph>,
            [](int p, int) {
                return Counts{Graph::rounds(p), p - 1, p - 1};
            },
            Bound::exact,
            scratch,
            source};
}

template <class Graph>
constexpr Algorithm allreduce_row(std::string_view name, Forms forms, std::string_view source) {
    return {name,
            Collective::allreduce,
            Order::same,
            Graph::ranks,
            forms,
            allreduce<Graph>,
            [](int p, int) {
                return Counts{2 * Graph::rounds(p), 2L * (p - 1), p - 1};
            },
            Bound::exact,
            no_scratch,
            source};
}

template <class Graph>
constexpr Algorithm gather_row(std::string_view name, long (*scratch)(int, int), std::string_view source) {
    return {name,
            Collective::gather,
            Order::none,
            Graph::ranks,
            pulled,
            gather<Graph>,
            [](int p, int) {
                return Counts{Graph::rounds(p), p - 1, 0};
            },
            Bound::exact,
            scratch,
            source};
}

/// `largest` is the number of blocks that the first receiver of the largest part is sent.
template <class Graph>
constexpr Algorithm scatter_row(std::string_view name, Counts (*counts)(int, int), long (*scratch)(int, int),
                                std::string_view source) {
    return {name,   Collective::scatter, Order::none, Graph::ranks, pulled, scatter<Graph>,
            counts, Bound::exact,        scratch,     source};
}

constexpr std::string_view traeff_alg1 = "Träff 2024, Alg. 1, Theorem 1";
constexpr std::string_view traeff_alg2 = "Träff 2024, Alg. 2, Theorem 2";
constexpr std::string_view traeff_cor2 = "Träff 2024, Corollary 2";
constexpr std::string_view traeff_sec4 = "Träff 2024, section 4";
constexpr std::string_view traeff_prop3 = "Träff et al. 2023, Prop. 3; Träff 2024, Alg. 2";
constexpr std::string_view traeff_census = "Träff et al. 2023, Listing 2, Prop. 1";
constexpr std::string_view traeff_reduce = "Träff et al. 2023, Listings 3 and 4";
constexpr std::string_view traeff_gather = "Träff et al. 2023, section III-F";
constexpr std::string_view rt_butterfly = "Rabenseifner & Träff 2004, section 2";
constexpr std::string_view rt_overlapping = "Rabenseifner & Träff 2004, section 3.2";
constexpr std::string_view rt_nonoverlapping = "Rabenseifner & Träff 2004, section 3.3";
constexpr std::string_view rt_elimination = "Rabenseifner & Träff 2004, sections 1 and 3.1";
constexpr std::string_view rt_ring = "Rabenseifner & Träff 2004, sections 3.4 and 3.6";
constexpr std::string_view grama_broadcast =
    "Grama et al. 2003, one-to-all broadcast and all-to-one reduction";
constexpr std::string_view grama_allgather = "Grama et al. 2003, all-to-all broadcast and reduction";
constexpr std::string_view grama_gather = "Grama et al. 2003, scatter and gather";
constexpr std::string_view grama_alltoall = "Grama et al. 2003, all-to-all personalized communication";
constexpr std::string_view grama_shift = "Grama et al. 2003, circular shift";
constexpr std::string_view grama_scan = "Grama et al. 2003, Alg. 4.9";
constexpr std::string_view grama_parts = "Grama et al. 2003, splitting messages into parts";
constexpr std::string_view shared_memory = "shared memory, one exchange";

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

/// Halves in the first half of the levels.
Schedule butterfly_hybrid(int p, int /*root*/) {
    const int halvings = log2_down(p) / 2;
    const ButterflyPhases phases = butterfly_overlapping(p, 1 << halvings, halvings);
    return place(then(phases.reduction, phases.routing), Collective::allreduce);
}

Schedule butterfly_reduce(int p, int root) {
    return place(restrict_to_root(butterfly_halving_pattern<butterfly_overlapping>(p), root),
                 Collective::reduce, root);
}

Schedule butterfly_reduce_scatter(int p, int /*root*/) {
    return place(butterfly_reduce_scatter_pattern(p), Collective::reduce_scatter);
}

/// Volumes of a 3-2 elimination protocol with halving, in blocks of which there are as many as the largest
/// power of two (section 3.3: 2 (1.5 - 1/p') m and (1.5 - 1/p') m).
Counts halving_volume(int p, long rounds) {
    const long blocks = power_below(p);
    return p == 1 ? Counts{} : Counts{rounds, 3 * blocks - 2, (3 * blocks - 1) / 2};
}

Counts elimination_whole(int p, int /*root*/) {
    const long q = log2_up(p);
    return graph::is_power_of_two(p) ? Counts{q, q, q} : Counts{q + 1, q + 1, q};
}

Counts elimination_halving(int p, int /*root*/) {
    return halving_volume(p, 2 * log2_up(p));
}

// ---- Trees, and what is put together ----

Schedule tree_broadcast(int p, int root) {
    return place(tree_broadcast_pattern(p, root), Collective::broadcast, root);
}

Schedule tree_reduce(int p, int root) {
    return place(dual(tree_broadcast_pattern(p, root)), Collective::reduce, root);
}

Schedule tree_allreduce(int p, int /*root*/) {
    const Pattern broadcast = tree_broadcast_pattern(p, 0);
    return place(then(dual(broadcast), broadcast), Collective::allreduce);
}

Schedule scatter_allgather(int p, int root) {
    const Pattern allgather = Halving::allgather(p);
    const Pattern scatter = reverse(restrict_to_root(allgather, root));
    return place(without_repeats(then(scatter, allgather), root), Collective::broadcast, root);
}

Schedule reduce_scatter_gather(int p, int root) {
    const Pattern allgather = Halving::allgather(p);
    return place(restrict_to_root(then(dual(allgather), allgather), root), Collective::reduce, root);
}

Schedule hypercube_allreduce(int p, int root) {
    return butterfly_whole<butterfly_overlapping>(p, root);
}

Schedule hypercube_barrier(int p, int /*root*/) {
    return place(butterfly_overlapping(p, 1, 0).reduction, Collective::barrier);
}

// ---- Adapters: what takes no root ----

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

/// Rounds of a butterfly with a ring for every odd factor.
long prime_rounds(int p) {
    long rounds = 0;
    for (const int factor : graph::prime_factors(p)) {
        rounds += factor - 1;
    }
    return rounds;
}

/// Steps of a circular shift the shorter way round.
long around(int members, int distance) {
    return std::min(distance, members - distance);
}

Counts mesh_shift_counts(int p, int distance) {
    const auto mesh = graph::mesh(p);
    const int across = distance % mesh[1];
    const long rounds =
        around(mesh[1], across) + (across != 0 && mesh[0] > 1 ? 1 : 0) + around(mesh[0], distance / mesh[1]);
    return {rounds, rounds, 0};
}

/// Half of every member's messages in each of so many rounds of a ring of `members`, on average.
long torus_alltoall_blocks(int p, const std::vector<int>& dimensions) {
    long blocks = 0;
    for (const int members : dimensions) {
        blocks += static_cast<long>(p) * (members - 1) / 2;
    }
    return blocks;
}

long circulant_alltoall_blocks(int p) {
    const auto skips = graph::skips(p, Skips::halving);
    long blocks = 0;
    for (int offset = 1; offset < p; ++offset) {
        int left = offset;
        for (std::size_t index = 1; index < skips.size(); ++index) {
            if (left >= skips[index]) {
                left -= skips[index];
                ++blocks;
            }
        }
    }
    return blocks;
}

constexpr auto exchange = [](int p, int) { return one_exchange(p, p - 1, 0); };
constexpr auto reduction = [](int p, int) { return one_exchange(p, p - 1, p - 1); };
constexpr auto single = [](int p, int) { return one_exchange(p, 1, 0); };
constexpr auto logarithmic_copy = [](int p, int) { return Counts{log2_up(p), p > 1 ? 1 : 0, 0}; };
constexpr auto logarithmic_reduction = [](int p, int) { return Counts{log2_up(p), log2_up(p), log2_up(p)}; };
constexpr auto linear_copy = [](int p, int) { return Counts{p - 1, p > 1 ? 1 : 0, 0}; };

const std::array rows{
    // barrier
    Algorithm{"direct", Collective::barrier, Order::none, Ranks::any, carried, rootless<direct_barrier>, exchange,
              Bound::exact, no_scratch, shared_memory},
    Algorithm{"dissemination", Collective::barrier, Order::none, Ranks::any, carried,
              rootless<dissemination_barrier>, [](int p, int) { return Counts{log2_up(p), log2_up(p), 0}; },
              Bound::exact, no_scratch, "dissemination over the circulant graph of Träff 2024"},
    Algorithm{"hypercube", Collective::barrier, Order::none, Ranks::powers_of_two, carried, hypercube_barrier,
              [](int p, int) { return Counts{log2_up(p), log2_up(p), 0}; }, Bound::exact, no_scratch,
              "Grama et al. 2003, all-reduce of a single word"},

    // broadcast
    Algorithm{"direct", Collective::broadcast, Order::none, Ranks::any, pulled, direct_broadcast, single,
              Bound::exact, no_scratch, shared_memory},
    Algorithm{"circulant", Collective::broadcast, Order::none, Ranks::any, pulled, broadcast<Halving>,
              logarithmic_copy, Bound::exact, no_scratch, traeff_sec4},
    Algorithm{"linear", Collective::broadcast, Order::none, Ranks::any, pulled, broadcast<Ring>, linear_copy,
              Bound::exact, no_scratch, grama_broadcast},
    Algorithm{"ring", Collective::broadcast, Order::none, Ranks::any, pulled, doubling_broadcast<Ring>,
              logarithmic_copy, Bound::exact, no_scratch, grama_broadcast},
    Algorithm{"mesh", Collective::broadcast, Order::none, Ranks::any, pulled, doubling_broadcast<Mesh>,
              [](int p, int) { return Counts{Mesh::doubling_rounds(p), p > 1 ? 1 : 0, 0}; }, Bound::exact,
              no_scratch, grama_broadcast},
    Algorithm{"hypercube", Collective::broadcast, Order::none, Ranks::powers_of_two, pulled,
              doubling_broadcast<Hypercube>, logarithmic_copy, Bound::exact, no_scratch, grama_broadcast},
    Algorithm{"tree", Collective::broadcast, Order::none, Ranks::any, pulled, tree_broadcast, logarithmic_copy,
              Bound::exact, no_scratch, grama_broadcast},
    Algorithm{"scatter-allgather", Collective::broadcast, Order::none, Ranks::any, pulled, scatter_allgather,
              [](int p, int) { return Counts{2 * log2_up(p), p > 1 ? p : 0, 0}; }, Bound::exact, no_scratch,
              grama_parts},

    // reduce
    Algorithm{"direct", Collective::reduce, Order::serial, Ranks::any, pulled, direct_reduce,
              [](int p, int) { return one_exchange(p, 2L * (p - 1), p - 1); }, Bound::exact, no_scratch,
              shared_memory},
    Algorithm{"flat", Collective::reduce, Order::serial, Ranks::any, pulled, flat_reduce, reduction,
              Bound::exact, no_scratch, shared_memory},
    Algorithm{"circulant", Collective::reduce, Order::same, Ranks::any, pulled, reduce<Halving>,
              logarithmic_reduction, Bound::exact, one_partial, traeff_reduce},
    Algorithm{"linear", Collective::reduce, Order::same, Ranks::any, pulled, reduce<Ring>,
              [](int p, int) { return Counts{p - 1, p > 1 ? 1 : 0, p > 1 ? 1 : 0}; }, Bound::exact, one_partial,
              grama_broadcast},
    Algorithm{"ring", Collective::reduce, Order::same, Ranks::any, pulled, doubling_reduce<Ring>,
              logarithmic_reduction, Bound::exact, one_partial, grama_broadcast},
    Algorithm{"mesh", Collective::reduce, Order::same, Ranks::any, pulled, doubling_reduce<Mesh>,
              [](int p, int) {
                  const long rounds = Mesh::doubling_rounds(p);
                  return Counts{rounds, rounds, rounds};
              },
              Bound::exact, one_partial, grama_broadcast},
    Algorithm{"hypercube", Collective::reduce, Order::same, Ranks::powers_of_two, pulled,
              doubling_reduce<Hypercube>, logarithmic_reduction, Bound::exact, one_partial, grama_broadcast},
    Algorithm{"tree", Collective::reduce, Order::rank, Ranks::any, pulled, tree_reduce, logarithmic_reduction,
              Bound::volume, one_partial, grama_broadcast},
    Algorithm{"butterfly", Collective::reduce, Order::rank, Ranks::any, pulled, butterfly_reduce,
              elimination_halving, Bound::all, half_the_blocks, rt_overlapping},
    Algorithm{"reduce-scatter-gather", Collective::reduce, Order::same, Ranks::any, pulled, reduce_scatter_gather,
              [](int p, int) { return Counts{2 * log2_up(p), 2L * (p - 1), p - 1}; }, Bound::exact, half_the_blocks,
              grama_parts},

    // allreduce
    Algorithm{"direct", Collective::allreduce, Order::serial, Ranks::any, pulled, rootless<direct_allreduce>,
              [](int p, int) { return one_exchange(p, 2L * (p - 1), p - 1); }, Bound::exact, no_scratch,
              shared_memory},
    Algorithm{"flat", Collective::allreduce, Order::serial, Ranks::any, {true, true, false},
              rootless<flat_allreduce>, reduction, Bound::exact, no_scratch, shared_memory},
    allreduce_row<Halving>("circulant", pulled, traeff_alg2),
    allreduce_row<Circular<Skips::power_of_two>>("circulant-power-of-two", pulled, traeff_cor2),
    allreduce_row<Circular<Skips::fully_connected>>("circulant-fully-connected", pulled, traeff_cor2),
    allreduce_row<Circular<Skips::square_root>>("circulant-square-root", pulled, traeff_cor2),
    Algorithm{"census", Collective::allreduce, Order::any, Ranks::any, {true, true, false},
              rootless<census_allreduce>,
              [](int p, int) {
                  const long q = log2_up(p);
                  return Counts{q, q, q == 0 ? 0 : 2 * q - 1};
              },
              Bound::reductions, [](int /*p*/, int) { return 3L; }, traeff_census},
    Algorithm{"butterfly", Collective::allreduce, Order::rank, Ranks::powers_of_two, separate,
              butterfly_whole<butterfly_overlapping>, elimination_whole, Bound::exact, one_block, rt_butterfly},
    Algorithm{"butterfly-halving", Collective::allreduce, Order::rank, Ranks::powers_of_two, pulled,
              butterfly_halving<butterfly_overlapping>,
              [](int p, int) { return Counts{2 * log2_up(p), 2L * (p - 1), p - 1}; }, Bound::exact, no_scratch,
              rt_butterfly},
    Algorithm{"butterfly-hybrid", Collective::allreduce, Order::rank, Ranks::powers_of_two, separate,
              butterfly_hybrid,
              [](int p, int) {
                  const long levels = log2_up(p);
                  const long halved = (1L << (levels / 2)) - 1;
                  const long whole = levels - levels / 2;
                  return Counts{levels + levels / 2, 2 * halved + whole, halved + whole};
              },
              Bound::exact, one_block, rt_butterfly},
    Algorithm{"butterfly-overlapping", Collective::allreduce, Order::rank, Ranks::any, separate,
              butterfly_whole<butterfly_overlapping>, elimination_whole, Bound::volume, one_block,
              rt_overlapping},
    Algorithm{"butterfly-overlapping-halving", Collective::allreduce, Order::rank, Ranks::any, pulled,
              butterfly_halving<butterfly_overlapping>, elimination_halving, Bound::volume, no_scratch,
              rt_overlapping},
    Algorithm{"butterfly-nonoverlapping", Collective::allreduce, Order::rank, Ranks::any, separate,
              butterfly_whole<butterfly_nonoverlapping>, elimination_whole, Bound::volume, one_block,
              rt_nonoverlapping},
    Algorithm{"butterfly-nonoverlapping-halving", Collective::allreduce, Order::rank, Ranks::any, pulled,
              butterfly_halving<butterfly_nonoverlapping>, elimination_halving, Bound::volume, no_scratch,
              rt_nonoverlapping},
    Algorithm{"butterfly-elimination-2-1", Collective::allreduce, Order::rank, Ranks::any, separate,
              butterfly_whole<butterfly_elimination_2_1>,
              [](int p, int) {
                  const long levels = log2_down(p);
                  return graph::is_power_of_two(p) ? Counts{levels, levels, levels}
                                                   : Counts{levels + 2, levels + 1, levels + 1};
              },
              Bound::exact, one_block, rt_elimination},
    Algorithm{"butterfly-elimination-2-1-halving", Collective::allreduce, Order::rank, Ranks::any, pulled,
              butterfly_halving<butterfly_elimination_2_1>,
              [](int p, int) {
                  const long levels = log2_down(p);
                  const long blocks = 1L << levels;
                  return graph::is_power_of_two(p) ? Counts{2 * levels, 2 * (blocks - 1), blocks - 1}
                                                   : Counts{2 * levels + 2, 3 * blocks - 2, 2 * blocks - 1};
              },
              Bound::exact, no_scratch, rt_elimination},
    Algorithm{"butterfly-ring", Collective::allreduce, Order::rank, Ranks::any, separate,
              rootless<butterfly_ring_allreduce>,
              [](int p, int) { return Counts{prime_rounds(p), prime_rounds(p), prime_rounds(p)}; },
              Bound::exact, one_block, rt_ring},
    Algorithm{"butterfly-ring-halving", Collective::allreduce, Order::rank, Ranks::any, pulled,
              rootless<butterfly_ring_halving_allreduce>,
              [](int p, int) { return Counts{2 * prime_rounds(p), 2L * (p - 1), p - 1}; }, Bound::exact,
              [](int p, int) { return p / 3L; }, rt_ring},
    allreduce_row<Ring>("ring", pulled, grama_allgather),
    allreduce_row<Mesh>("mesh", pulled, grama_allgather),
    Algorithm{"hypercube", Collective::allreduce, Order::rank, Ranks::powers_of_two, separate,
              hypercube_allreduce, logarithmic_reduction, Bound::exact, one_block,
              "Grama et al. 2003, all-reduce"},
    Algorithm{"tree", Collective::allreduce, Order::rank, Ranks::any, pulled, tree_allreduce,
              [](int p, int) { return Counts{2 * log2_up(p), log2_up(p), log2_up(p)}; }, Bound::exact, no_scratch,
              grama_broadcast},

    // reduce_scatter
    Algorithm{"direct", Collective::reduce_scatter, Order::serial, Ranks::any, everywhere,
              rootless<direct_reduce_scatter>, reduction, Bound::exact, no_scratch, shared_memory},
    reduce_scatter_row<Halving>("circulant", pulled, largest_gap<Skips::halving>, traeff_alg1),
    reduce_scatter_row<Circular<Skips::power_of_two>>("circulant-power-of-two", pulled,
                                                      largest_gap<Skips::power_of_two>,
                                                      traeff_cor2),
    reduce_scatter_row<Circular<Skips::fully_connected>>("circulant-fully-connected", pulled, no_scratch,
                                                         traeff_cor2),
    reduce_scatter_row<Circular<Skips::square_root>>("circulant-square-root", pulled,
                                                      largest_gap<Skips::square_root>, traeff_cor2),
    Algorithm{"butterfly", Collective::reduce_scatter, Order::rank, Ranks::any, pulled, butterfly_reduce_scatter,
              [](int p, int) { return Counts{p <= 2 ? log2_up(p) : log2_up(p) + 1, 2L * p, 2L * p}; },
              Bound::volume, [](int p, int) { return p <= 2 ? 0L : (p + 1L) / 2; }, rt_overlapping},
    reduce_scatter_row<Ring>("ring", pulled, all_but_two, grama_allgather),
    reduce_scatter_row<Mesh>("mesh", pulled, mesh_partials, grama_allgather),
    reduce_scatter_row<Hypercube>("hypercube", pulled, half_the_blocks, grama_allgather),
    Algorithm{"fully-connected", Collective::reduce_scatter, Order::serial, Ranks::any, separate,
              rootless<fully_connected_reduce_scatter>,
              [](int p, int) { return Counts{p - 1, p - 1, p - 1}; }, Bound::exact, no_scratch, traeff_cor2},

    // allgather
    Algorithm{"direct", Collective::allgather, Order::none, Ranks::any, pulled, rootless<direct_allgather>,
              exchange, Bound::exact, no_scratch, shared_memory},
    Algorithm{"flat", Collective::allgather, Order::none, Ranks::any, everywhere, rootless<flat_allgather>,
              exchange, Bound::exact, no_scratch, shared_memory},
    allgather_row<Halving>("circulant", pulled, traeff_prop3),
    allgather_row<Circular<Skips::power_of_two>>("bruck", pulled, "Bruck et al. 1997; Träff 2024, Corollary 2"),
    allgather_row<Circular<Skips::fully_connected>>("circulant-fully-connected", pulled, traeff_cor2),
    allgather_row<Circular<Skips::square_root>>("circulant-square-root", pulled, traeff_cor2),
    allgather_row<Ring>("ring", pulled, grama_allgather),
    allgather_row<Mesh>("mesh", pulled, grama_allgather),
    allgather_row<Hypercube>("hypercube", pulled, grama_allgather),

    // gather
    Algorithm{"direct", Collective::gather, Order::none, Ranks::any, pulled, direct_gather, exchange,
              Bound::exact, no_scratch, shared_memory},
    Algorithm{"flat", Collective::gather, Order::none, Ranks::any, pulled, flat_gather, exchange,
              Bound::exact, no_scratch, shared_memory},
    gather_row<Halving>("circulant", half_but_own, traeff_gather),
    gather_row<Ring>("ring", all_but_two, grama_gather),
    gather_row<Mesh>("mesh", all_but_two, grama_gather),
    gather_row<Hypercube>("hypercube", half_the_blocks, grama_gather),

    // scatter
    Algorithm{"direct", Collective::scatter, Order::none, Ranks::any, pulled, direct_scatter, single,
              Bound::exact, no_scratch, shared_memory},
    scatter_row<Halving>("circulant", [](int p, int) { return Counts{log2_up(p), p / 2, 0}; }, half_but_own,
                         traeff_gather),
    scatter_row<Ring>("ring", [](int p, int) { return Counts{p - 1, p - 1, 0}; }, all_but_two, grama_gather),
    scatter_row<Mesh>("mesh",
                      [](int p, int) {
                          const auto mesh = graph::mesh(p);
                          const long blocks = mesh[0] == 1 ? p - 1 : (mesh[0] - 1L) * mesh[1];
                          return Counts{Mesh::rounds(p), blocks, 0};
                      },
                      all_but_two, grama_gather),
    scatter_row<Hypercube>("hypercube", [](int p, int) { return Counts{log2_up(p), p / 2, 0}; }, half_the_blocks,
                           grama_gather),

    // alltoall
    Algorithm{"direct", Collective::alltoall, Order::none, Ranks::any, separate, rootless<direct_alltoall>,
              exchange, Bound::exact, no_scratch, shared_memory},
    Algorithm{"pairwise", Collective::alltoall, Order::none, Ranks::any, separate, rootless<pairwise_alltoall>,
              [](int p, int) { return Counts{p - 1, p - 1, 0}; }, Bound::exact, no_scratch, grama_alltoall},
    Algorithm{"ring", Collective::alltoall, Order::none, Ranks::any, separate, rootless<ring_alltoall>,
              [](int p, int) { return Counts{p - 1, p * (p - 1L) / 2, 0}; }, Bound::exact, all_but_two,
              grama_alltoall},
    Algorithm{"ring-bidirectional", Collective::alltoall, Order::none, Ranks::any, separate,
              rootless<bidirectional_ring_alltoall>,
              [](int p, int) { return Counts{p / 2, static_cast<long>(p) * p / 4, 0}; }, Bound::exact,
              all_but_three, grama_alltoall},
    Algorithm{"mesh", Collective::alltoall, Order::none, Ranks::any, separate, torus_exchange<graph::mesh>,
              [](int p, int) { return Counts{Mesh::rounds(p), torus_alltoall_blocks(p, graph::mesh(p)), 0}; },
              Bound::exact, all_but_one, grama_alltoall},
    Algorithm{"hypercube", Collective::alltoall, Order::none, Ranks::powers_of_two, separate,
              torus_exchange<graph::hypercube>,
              [](int p, int) { return Counts{log2_up(p), log2_up(p) * p / 2, 0}; }, Bound::exact, all_but_two,
              grama_alltoall},
    Algorithm{"circulant", Collective::alltoall, Order::none, Ranks::any, separate, rootless<circulant_alltoall>,
              [](int p, int) { return Counts{log2_up(p), circulant_alltoall_blocks(p), 0}; }, Bound::exact,
              all_but_three, traeff_sec4},

    // scan
    Algorithm{"direct", Collective::scan, Order::serial, Ranks::any, pulled,
              prefixes<direct_scan, Inclusion::inclusive>,
              [](int p, int) { return one_exchange(p, 2L * (p - 1), p - 1); }, Bound::exact, no_scratch,
              shared_memory},
    Algorithm{"ring", Collective::scan, Order::serial, Ranks::any, pulled,
              prefixes<ring_scan, Inclusion::inclusive>,
              [](int p, int) { return Counts{p - 1, p > 1 ? 1 : 0, p > 1 ? 1 : 0}; }, Bound::exact, no_scratch,
              "Grama et al. 2003, prefix sums on a linear array"},
    Algorithm{"hypercube", Collective::scan, Order::rank, Ranks::any, separate,
              prefixes<hypercube_scan, Inclusion::inclusive>,
              [](int p, int) {
                  return Counts{log2_up(p), log2_up(p), p == 2 ? 1 : std::max(2 * log2_up(p) - 2, 0L)};
              },
              Bound::volume,
              [](int p, int) { return std::clamp(log2_up(p) - 1, 0L, 2L); }, grama_scan},

    // exscan
    Algorithm{"direct", Collective::exscan, Order::serial, Ranks::any, pulled,
              prefixes<direct_scan, Inclusion::exclusive>,
              [](int p, int) { return one_exchange(p, 2L * (p - 1), p - 2); }, Bound::exact, no_scratch,
              shared_memory},
    Algorithm{"ring", Collective::exscan, Order::serial, Ranks::any, separate,
              prefixes<ring_scan, Inclusion::exclusive>,
              [](int p, int) { return Counts{p - 1, std::min(p - 1, 2), p > 2 ? 1 : 0}; }, Bound::exact,
              no_scratch, "Grama et al. 2003, prefix sums on a linear array"},
    Algorithm{"hypercube", Collective::exscan, Order::rank, Ranks::any, separate,
              prefixes<hypercube_scan, Inclusion::exclusive>,
              [](int p, int) { return Counts{log2_up(p), log2_up(p), std::max(2 * log2_up(p) - 3, 0L)}; },
              Bound::volume,
              [](int p, int) { return std::clamp(log2_up(p) - 1, 0L, 2L); }, grama_scan},

    // shift
    Algorithm{"direct", Collective::shift, Order::none, Ranks::any, separate, direct_shift,
              [](int p, int k) { return k == 0 ? Counts{} : one_exchange(p, 1, 0); }, Bound::exact, no_scratch,
              "Grama et al. 2003, circular shift with E-cube routing"},
    Algorithm{"ring", Collective::shift, Order::none, Ranks::any, separate, ring_shift,
              [](int p, int k) { return Counts{around(p, k), around(p, k), 0}; }, Bound::exact, one_block,
              grama_shift},
    Algorithm{"mesh", Collective::shift, Order::none, Ranks::any, separate, mesh_shift, mesh_shift_counts,
              Bound::volume, one_block, grama_shift},
    Algorithm{"hypercube", Collective::shift, Order::none, Ranks::powers_of_two, separate, hypercube_shift,
              [](int /*p*/, int k) {
                  const long rounds = std::popcount(static_cast<unsigned>(k));
                  return Counts{rounds, rounds, 0};
              },
              Bound::exact, one_block, grama_shift},
};

} // namespace

std::span<const Algorithm> registry() {
    return rows;
}

} // namespace tutti::algorithm
