#include "algorithm/algorithms.hpp"
#include "algorithm/closed_forms.hpp"
#include "algorithm/graph_rows.hpp"
#include "algorithm/makers.hpp"
#include "algorithm/registry.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tutti::algorithm {

namespace rows {

namespace {

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
constexpr std::string_view rt_radix = "Rabenseifner & Träff 2004, section 3.6, with exchanges for rings";
constexpr std::string_view grama_broadcast =
    "Grama et al. 2003, one-to-all broadcast and all-to-one reduction";
constexpr std::string_view grama_allgather = "Grama et al. 2003, all-to-all broadcast and reduction";
constexpr std::string_view grama_gather = "Grama et al. 2003, scatter and gather";
constexpr std::string_view grama_alltoall = "Grama et al. 2003, all-to-all personalized communication";
constexpr std::string_view grama_shift = "Grama et al. 2003, circular shift";
constexpr std::string_view grama_scan = "Grama et al. 2003, Alg. 4.9";
constexpr std::string_view grama_parts = "Grama et al. 2003, splitting messages into parts";
constexpr std::string_view shared_memory = "shared memory, one exchange";

const std::array table{
    // barrier
    Algorithm{"direct", Collective::barrier, Order::none, Ranks::any, carried, rootless<direct_barrier>, exchange,
              Bound::exact, no_scratch, shared_memory},
    Algorithm{"dissemination", Collective::barrier, Order::none, Ranks::any, carried,
              rootless<dissemination_barrier>, [](int p, int) { return Counts{log2_up(p), log2_up(p), 0}; },
              Bound::exact, no_scratch, "dissemination over the circulant graph of Träff 2024"},
    Algorithm{"hypercube", Collective::barrier, Order::none, Ranks::powers_of_two, carried, hypercube_barrier,
              [](int p, int) { return Counts{log2_up(p), log2_up(p), 0}; }, Bound::exact, no_scratch,
              "Grama et al. 2003, all-reduce of a single word"},
    Algorithm{"radix-4", Collective::barrier, Order::none, Ranks::powers_of_two, carried,
              exchange_by_radix<Collective::barrier, 4>, radix_signals<2>, Bound::exact, no_scratch, rt_radix},
    Algorithm{"radix-8", Collective::barrier, Order::none, Ranks::powers_of_two, carried,
              exchange_by_radix<Collective::barrier, 8>, radix_signals<3>, Bound::exact, no_scratch, rt_radix},

    // broadcast
    Algorithm{"direct", Collective::broadcast, Order::none, Ranks::any, pulled, direct_broadcast,
              [](int p, int) { return one_exchange(p, p, 0); }, Bound::exact, no_scratch, shared_memory},
    Algorithm{"flat", Collective::broadcast, Order::none, Ranks::any, everywhere, flat_broadcast, single,
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
    Algorithm{"flat", Collective::reduce, Order::serial, Ranks::any, everywhere, flat_reduce, reduction,
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
    Algorithm{"direct", Collective::allreduce, Order::serial, Ranks::any, pulled_or_shared, rootless<direct_allreduce>,
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
                  const long halvings = (levels + 1) / 2;
                  const long halved = (1L << halvings) - 1;
                  const long whole = levels - halvings;
                  return Counts{levels + halvings, 2 * halved + whole, halved + whole};
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
    Algorithm{"radix-4", Collective::allreduce, Order::rank, Ranks::powers_of_two, {true, true, false},
              exchange_by_radix<Collective::allreduce, 4>, radix_counts<2>, Bound::exact, radix_partials<2>, rt_radix},
    Algorithm{"radix-8", Collective::allreduce, Order::rank, Ranks::powers_of_two, {true, true, false},
              exchange_by_radix<Collective::allreduce, 8>, radix_counts<3>, Bound::exact, radix_partials<3>, rt_radix},
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
    Algorithm{"circulant-uniform", Collective::reduce_scatter, Order::same, Ranks::any, pulled, circulant_uniform,
              [](int p, int) { return Counts{log2_up(p), (1L << log2_up(p)) - 1, p - 1}; }, Bound::exact,
              uniform_partials, "Träff et al. 2023, Listings 5 and 6, Prop. 2"},
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
    Algorithm{"direct", Collective::allgather, Order::none, Ranks::any, pulled_or_shared, rootless<direct_allgather>,
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
    Algorithm{"flat", Collective::gather, Order::none, Ranks::any, everywhere, flat_gather, exchange,
              Bound::exact, no_scratch, shared_memory},
    gather_row<Halving>("circulant", half_but_own, traeff_gather),
    gather_row<Ring>("ring", all_but_two, grama_gather),
    gather_row<Mesh>("mesh", all_but_two, grama_gather),
    gather_row<Hypercube>("hypercube", half_the_blocks, grama_gather),

    // scatter
    Algorithm{"direct", Collective::scatter, Order::none, Ranks::any, everywhere, direct_scatter, single,
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
    Algorithm{"direct", Collective::alltoall, Order::none, Ranks::any, carried_or_one_hop,
              rootless<direct_alltoall>, exchange, Bound::exact, no_scratch, shared_memory},
    Algorithm{"pairwise", Collective::alltoall, Order::none, Ranks::any, one_hop, rootless<pairwise_alltoall>,
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
    Algorithm{"flat", Collective::scan, Order::serial, Ranks::any, carried_or_separate,
              prefixes<flat_scan, Inclusion::inclusive>,
              [](int p, int) { return one_exchange(p, p - 1, p - 1); }, Bound::exact,
              [](int p, int) { return p > 1 ? 1L : 0L; }, shared_memory},
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
    Algorithm{"flat", Collective::exscan, Order::serial, Ranks::any, carried_or_separate,
              prefixes<flat_scan, Inclusion::exclusive>,
              [](int p, int) { return one_exchange(p, p - 1, p - 2); }, Bound::exact, no_scratch, shared_memory},
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
    Algorithm{"direct", Collective::shift, Order::none, Ranks::any, carried_or_separate, direct_shift,
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

} // namespace rows

static_assert(rows::table.size() <= most_rows);

std::span<const Algorithm> registry() {
    return rows::table;
}

} // namespace tutti::algorithm
