#include "algorithm/graph_rows.hpp"

#include <array>

namespace tutti::algorithm {

namespace rows {

namespace {

const std::array table{
    // barrier
    Algorithm{.name = "direct", .collective = Collective::barrier, .protocols = eager,
              .make = rootless<direct_barrier>, .cost = exchange, .source = shared_memory,
              .reach = Reach::everybody},
    Algorithm{.name = "dissemination", .collective = Collective::barrier, .protocols = eager,
              .make = rootless<dissemination_barrier>,
              .cost = [](int p, int) { return CostTerms{log2_up(p), log2_up(p), 0}; },
              .source = "dissemination over the circulant graph of Träff 2024"},
    Algorithm{.name = "hypercube", .collective = Collective::barrier, .ranks = Ranks::powers_of_two,
              .protocols = eager, .make = [](int p, int) {
                  return place(butterfly_overlapping(p, 1, 0).reduction, Collective::barrier);
              },
              .cost = [](int p, int) { return CostTerms{log2_up(p), log2_up(p), 0}; },
              .source = "Grama et al. 2003, all-reduce of a single word"},
    Algorithm{.name = "radix-4", .collective = Collective::barrier, .ranks = Ranks::powers_of_two,
              .protocols = eager, .make = exchange_by_radix<Collective::barrier, 4>, .cost = signals<radix_counts<2>>,
              .source = rt_radix},
    Algorithm{.name = "radix-8", .collective = Collective::barrier, .ranks = Ranks::powers_of_two,
              .protocols = eager, .make = exchange_by_radix<Collective::barrier, 8>, .cost = signals<radix_counts<3>>,
              .source = rt_radix},
    levels_row<Acting::exchange, Collective::barrier>(signals<exchanged_on_levels<3>>, Bound::volume, no_scratch),
    levels_row<Acting::leaders, Collective::barrier>(signals<whole_on_levels<3, 2>>, Bound::volume, no_scratch),

    // broadcast
    Algorithm{.name = "direct", .collective = Collective::broadcast, .protocols = pulled,
              .make = direct_broadcast, .cost = [](int p, int) { return one_exchange(p, p, 0); },
              .source = shared_memory, .reach = Reach::everybody},
    copies_row<Collective::broadcast, false>("flat", everywhere, single),
    copies_row<Collective::broadcast, true>("push", pulled, single),
    Algorithm{.name = "circulant", .collective = Collective::broadcast, .protocols = pulled,
              .make = broadcast<Halving>, .cost = logarithmic_copy, .source = traeff_sec4},
    Algorithm{.name = "linear", .collective = Collective::broadcast, .protocols = pulled,
              .make = broadcast<Ring>, .cost = linear_copy, .source = grama_broadcast},
    Algorithm{.name = "ring", .collective = Collective::broadcast, .protocols = pulled,
              .make = doubling_broadcast<Ring>, .cost = logarithmic_copy, .source = grama_broadcast},
    Algorithm{.name = "mesh", .collective = Collective::broadcast, .protocols = pulled,
              .make = doubling_broadcast<Mesh>,
              .cost = [](int p, int) { return CostTerms{Mesh::doubling_rounds(p), p > 1 ? 1 : 0, 0}; },
              .source = grama_broadcast},
    Algorithm{.name = "hypercube", .collective = Collective::broadcast, .ranks = Ranks::powers_of_two,
              .protocols = pulled, .make = doubling_broadcast<Hypercube>, .cost = logarithmic_copy,
              .source = grama_broadcast},
    Algorithm{.name = "tree", .collective = Collective::broadcast, .protocols = pulled,
              .make = [](int p, int root) {
                  return place(tree_broadcast_pattern(p, root), Collective::broadcast, root);
              }, .cost = logarithmic_copy, .source = grama_broadcast},
    Algorithm{.name = "scatter-allgather", .collective = Collective::broadcast, .protocols = pulled,
              .make = scatter_allgather,
              .cost = [](int p, int) { return CostTerms{2 * log2_up(p), p > 1 ? p : 0, 0}; },
              .source = grama_parts},
    levels_row<Acting::shares, Collective::broadcast>(
        [](int p, int) { return copies_on_levels<2>(p, p); }, Bound::all, no_scratch),
    levels_row<Acting::leaders, Collective::broadcast>(
        [](int p, int) { return copies_on_levels<1>(p, 1); }, Bound::exact, no_scratch),
    levels_row<Acting::direct, Collective::broadcast>([](int p, int) { return one_exchange(p, p, 0); }, Bound::exact,
                                                      no_scratch),
    levels_row<Acting::near, Collective::broadcast>(
        [](int p, int) { return one_exchange(p, 2L * p, 0); }, Bound::volume, no_scratch),

    // reduce
    Algorithm{.name = "direct", .collective = Collective::reduce, .order = Order::asked, .protocols = pulled,
              .make = direct_reduce, .cost = shared_out, .source = shared_memory, .reach = Reach::everybody},
    Algorithm{.name = "flat", .collective = Collective::reduce, .order = Order::asked,
              .protocols = everywhere, .make = flat_reduce, .cost = reduction, .source = shared_memory,
              .reach = Reach::everybody},
    Algorithm{.name = "circulant", .collective = Collective::reduce, .order = Order::same,
              .protocols = pulled, .make = reduce<Halving>, .cost = logarithmic_reduction,
              .scratch = one_partial, .source = traeff_reduce},
    Algorithm{.name = "linear", .collective = Collective::reduce, .order = Order::same, .protocols = pulled,
              .make = reduce<Ring>,
              .cost = [](int p, int) { return CostTerms{p - 1, p > 1 ? 1 : 0, p > 1 ? 1 : 0}; },
              .scratch = one_partial, .source = grama_broadcast},
    Algorithm{.name = "ring", .collective = Collective::reduce, .order = Order::same, .protocols = pulled,
              .make = doubling_reduce<Ring>, .cost = logarithmic_reduction, .scratch = one_partial,
              .source = grama_broadcast},
    Algorithm{.name = "mesh", .collective = Collective::reduce, .order = Order::same, .protocols = pulled,
              .make = doubling_reduce<Mesh>, .cost = [](int p, int) {
                  const long rounds = Mesh::doubling_rounds(p);
                  return CostTerms{rounds, rounds, rounds};
              }, .scratch = one_partial, .source = grama_broadcast},
    Algorithm{.name = "hypercube", .collective = Collective::reduce, .order = Order::same,
              .ranks = Ranks::powers_of_two, .protocols = pulled, .make = doubling_reduce<Hypercube>,
              .cost = logarithmic_reduction, .scratch = one_partial, .source = grama_broadcast},
    Algorithm{.name = "tree", .collective = Collective::reduce, .order = Order::rank, .protocols = pulled,
              .make = [](int p, int root) {
                  return place(dual(tree_broadcast_pattern(p, root)), Collective::reduce, root);
              }, .cost = logarithmic_reduction, .bound = Bound::volume, .scratch = one_partial,
              .source = grama_broadcast},
    Algorithm{.name = "butterfly", .collective = Collective::reduce, .order = Order::rank,
              .protocols = pulled, .make = butterfly_reduce, .cost = elimination_halving, .bound = Bound::all,
              .scratch = half_the_blocks, .source = rt_overlapping},
    Algorithm{.name = "reduce-scatter-gather", .collective = Collective::reduce, .order = Order::same,
              .protocols = pulled, .make = reduce_scatter_gather,
              .cost = [](int p, int) { return CostTerms{2 * log2_up(p), 2L * (p - 1), p - 1}; },
              .scratch = half_the_blocks, .source = grama_parts},
    levels_row<Acting::shares, Collective::reduce>(
        [](int p, int) {
            const long combined = combined_in_shares(p);
            return p == 1 ? CostTerms{} : CostTerms{split_levels<3>(p) + 1, combined + p, combined};
        }, Bound::volume, all_but_one),
    levels_row<Acting::leaders, Collective::reduce>(whole_on_levels<3, 1>, Bound::volume, level_sums<1>),

    // allreduce
    Algorithm{.name = "direct", .collective = Collective::allreduce, .order = Order::asked,
              .protocols = pulled_or_shared, .make = rootless<direct_allreduce>, .cost = shared_out,
              .source = shared_memory, .reach = Reach::everybody},
    Algorithm{.name = "flat", .collective = Collective::allreduce, .order = Order::asked,
              .protocols = eager_or_zero_copy, .make = rootless<flat_allreduce>, .cost = reduction,
              .source = shared_memory, .reach = Reach::everybody},
    Algorithm{.name = "reduce-scatter-allgather", .collective = Collective::allreduce, .order = Order::asked,
              .protocols = pulled, .make = rootless<reduce_scatter_allgather>, .cost = [](int p, int) {
                  return p == 1 ? CostTerms{} : CostTerms{2, 2L * (p - 1), p - 1};
              }, .source = shared_memory_twice, .reach = Reach::everybody},
    allreduce_row<Halving>("circulant", pulled, traeff_alg2),
    allreduce_row<Circular<Skips::power_of_two>>("circulant-power-of-two", pulled, traeff_cor2),
    allreduce_row<Circular<Skips::fully_connected>>("circulant-fully-connected", pulled, traeff_cor2),
    allreduce_row<Circular<Skips::square_root>>("circulant-square-root", pulled, traeff_cor2),
    Algorithm{.name = "census", .collective = Collective::allreduce, .order = Order::any,
              .protocols = eager_or_zero_copy, .make = rootless<census_allreduce>, .cost = [](int p, int) {
                  const long q = log2_up(p);
                  return CostTerms{q, q, q == 0 ? 0 : 2 * q - 1};
              }, .bound = Bound::reductions, .scratch = [](int /*p*/, int) { return 3L; },
              .source = traeff_census},
    Algorithm{.name = "butterfly", .collective = Collective::allreduce, .order = Order::rank,
              .ranks = Ranks::powers_of_two, .protocols = separate,
              .make = butterfly_whole<butterfly_overlapping>, .cost = elimination_whole, .scratch = one_block,
              .source = rt_butterfly},
    Algorithm{.name = "butterfly-halving", .collective = Collective::allreduce, .order = Order::rank,
              .ranks = Ranks::powers_of_two, .protocols = pulled,
              .make = butterfly_halving<butterfly_overlapping>,
              .cost = [](int p, int) { return CostTerms{2 * log2_up(p), 2L * (p - 1), p - 1}; },
              .source = rt_butterfly},
    Algorithm{.name = "butterfly-hybrid", .collective = Collective::allreduce, .order = Order::rank,
              .ranks = Ranks::powers_of_two, .protocols = separate, .make = butterfly_hybrid,
              .cost = halved_then_whole, .scratch = one_block, .source = rt_butterfly},
    Algorithm{.name = "butterfly-overlapping", .collective = Collective::allreduce, .order = Order::rank,
              .protocols = separate, .make = butterfly_whole<butterfly_overlapping>,
              .cost = elimination_whole, .bound = Bound::volume, .scratch = one_block,
              .source = rt_overlapping},
    Algorithm{.name = "butterfly-overlapping-halving", .collective = Collective::allreduce,
              .order = Order::rank, .protocols = pulled, .make = butterfly_halving<butterfly_overlapping>,
              .cost = elimination_halving, .bound = Bound::volume, .source = rt_overlapping},
    Algorithm{.name = "butterfly-nonoverlapping", .collective = Collective::allreduce, .order = Order::rank,
              .protocols = separate, .make = butterfly_whole<butterfly_nonoverlapping>,
              .cost = elimination_whole, .bound = Bound::volume, .scratch = one_block,
              .source = rt_nonoverlapping},
    Algorithm{.name = "butterfly-nonoverlapping-halving", .collective = Collective::allreduce,
              .order = Order::rank, .protocols = pulled, .make = butterfly_halving<butterfly_nonoverlapping>,
              .cost = elimination_halving, .bound = Bound::volume, .source = rt_nonoverlapping},
    Algorithm{.name = "butterfly-elimination-2-1", .collective = Collective::allreduce, .order = Order::rank,
              .protocols = separate, .make = butterfly_whole<butterfly_elimination_2_1>,
              .cost = elimination_2_1_whole, .scratch = one_block, .source = rt_elimination},
    Algorithm{.name = "butterfly-elimination-2-1-halving", .collective = Collective::allreduce,
              .order = Order::rank, .protocols = pulled, .make = butterfly_halving<butterfly_elimination_2_1>,
              .cost = elimination_2_1_halving, .source = rt_elimination},
    Algorithm{.name = "butterfly-ring", .collective = Collective::allreduce, .order = Order::rank,
              .protocols = separate, .make = rootless<butterfly_ring_allreduce>,
              .cost = [](int p, int) { return CostTerms{prime_rounds(p), prime_rounds(p), prime_rounds(p)}; },
              .scratch = one_block, .source = rt_ring},
    Algorithm{.name = "butterfly-ring-halving", .collective = Collective::allreduce, .order = Order::rank,
              .protocols = pulled, .make = rootless<butterfly_ring_halving_allreduce>,
              .cost = [](int p, int) { return CostTerms{2 * prime_rounds(p), 2L * (p - 1), p - 1}; },
              .scratch = [](int p, int) { return p / 3L; }, .source = rt_ring},
    Algorithm{.name = "radix-4", .collective = Collective::allreduce, .order = Order::rank,
              .ranks = Ranks::powers_of_two, .protocols = eager_or_zero_copy,
              .make = exchange_by_radix<Collective::allreduce, 4>, .cost = radix_counts<2>,
              .scratch = radix_partials<2>, .source = rt_radix},
    Algorithm{.name = "radix-8", .collective = Collective::allreduce, .order = Order::rank,
              .ranks = Ranks::powers_of_two, .protocols = eager_or_zero_copy,
              .make = exchange_by_radix<Collective::allreduce, 8>, .cost = radix_counts<3>,
              .scratch = radix_partials<3>, .source = rt_radix},
    allreduce_row<Ring>("ring", pulled, grama_allgather),
    allreduce_row<Mesh>("mesh", pulled, grama_allgather),
    Algorithm{.name = "hypercube", .collective = Collective::allreduce, .order = Order::rank,
              .ranks = Ranks::powers_of_two, .protocols = separate, .make = butterfly_whole<butterfly_overlapping>,
              .cost = logarithmic_reduction, .scratch = one_block, .source = "Grama et al. 2003, all-reduce"},
    Algorithm{.name = "tree", .collective = Collective::allreduce, .order = Order::rank, .protocols = pulled,
              .make = tree_allreduce,
              .cost = [](int p, int) { return CostTerms{2 * log2_up(p), log2_up(p), log2_up(p)}; },
              .source = grama_broadcast},
    levels_row<Acting::exchange, Collective::allreduce>(exchanged_on_levels<3>, Bound::volume, level_sums<1>),
    levels_row<Acting::shares, Collective::allreduce>(
        [](int p, int) {
            const long combined = combined_in_shares(p);
            return CostTerms{2 * split_levels<3>(p), combined + p - 1, combined};
        }, Bound::volume, no_scratch),
    levels_row<Acting::leaders, Collective::allreduce>(whole_on_levels<3, 2>, Bound::volume, no_scratch),
    levels_row<Acting::direct, Collective::allreduce>(shared_out, Bound::exact, no_scratch),
    levels_row<Acting::near, Collective::allreduce>(
        [](int p, int) {
            const long each = most_near + (p - 1L) / most_near;
            const long share = near_share(p, 0);
            return p <= most_near ? shared_out(p, 0) : CostTerms{2, share * (each + most_near), share * each};
        }, Bound::volume, near_share),

    // reduce_scatter
    Algorithm{.name = "direct", .collective = Collective::reduce_scatter, .order = Order::asked,
              .protocols = everywhere, .make = rootless<direct_reduce_scatter>, .cost = reduction,
              .source = shared_memory, .reach = Reach::everybody},
    reduce_scatter_row<Halving>("circulant", pulled, largest_gap<Skips::halving>, traeff_alg1),
    reduce_scatter_row<Circular<Skips::power_of_two>>("circulant-power-of-two", pulled,
                                                      largest_gap<Skips::power_of_two>,
                                                      traeff_cor2),
    reduce_scatter_row<Circular<Skips::fully_connected>>("circulant-fully-connected", pulled, no_scratch,
                                                         traeff_cor2),
    reduce_scatter_row<Circular<Skips::square_root>>("circulant-square-root", pulled,
                                                      largest_gap<Skips::square_root>, traeff_cor2),
    Algorithm{.name = "circulant-uniform", .collective = Collective::reduce_scatter, .order = Order::same,
              .protocols = pulled,
              .make = [](int p, int) { return place(circulant_uniform_pattern(p), Collective::reduce_scatter); },
              .cost = [](int p, int) { return CostTerms{log2_up(p), (1L << log2_up(p)) - 1, p - 1}; },
              .scratch = uniform_partials, .source = "Träff et al. 2023, Listings 5 and 6, Prop. 2"},
    Algorithm{.name = "butterfly", .collective = Collective::reduce_scatter, .order = Order::rank,
              .protocols = pulled, .make = [](int p, int) {
                  return place(butterfly_reduce_scatter_pattern(p), Collective::reduce_scatter);
              },
              .cost = [](int p, int) { return CostTerms{p <= 2 ? log2_up(p) : log2_up(p) + 1, 2L * p, 2L * p}; },
              .bound = Bound::volume, .scratch = [](int p, int) { return p <= 2 ? 0L : (p + 1L) / 2; },
              .source = rt_overlapping},
    reduce_scatter_row<Ring>("ring", pulled, all_but_two, grama_allgather),
    reduce_scatter_row<Mesh>("mesh", pulled, mesh_partials, grama_allgather),
    reduce_scatter_row<Hypercube>("hypercube", pulled, half_the_blocks, grama_allgather),
    Algorithm{.name = "fully-connected", .collective = Collective::reduce_scatter, .order = Order::serial,
              .protocols = separate, .make = rootless<fully_connected_reduce_scatter>,
              .cost = [](int p, int) { return CostTerms{p - 1, p - 1, p - 1}; }, .source = traeff_cor2},
    levels_row<Acting::shares, Collective::reduce_scatter>(
        [](int p, int) { return CostTerms{split_levels<3>(p), combined_in_shares(p), combined_in_shares(p)}; },
        Bound::volume, [](int p, int) { return p <= 8 ? 0L : p - 3L; }),
    levels_row<Acting::leaders, Collective::reduce_scatter>(
        [](int p, int root) {
            const CostTerms whole = whole_on_levels<3, 2>(p, root);
            return CostTerms{whole.rounds, p * whole.blocks, p * whole.reductions};
        }, Bound::volume, all_but_one),
    levels_row<Acting::direct, Collective::reduce_scatter>(reduction, Bound::exact, no_scratch),
    levels_row<Acting::near, Collective::reduce_scatter>(
        [](int p, int) {
            return p <= most_near ? reduction(p, 0) : CostTerms{2, most_near * long{p}, most_near * long{p}};
        }, Bound::volume, [](int p, int) {
            return p <= most_near ? 0L : p % most_near == 0 ? p - 2L * most_near + 1 : p - 1L;
        }),

    // allgather
    Algorithm{.name = "direct", .collective = Collective::allgather, .protocols = pulled_or_shared,
              .make = rootless<direct_allgather>, .cost = exchange, .source = shared_memory,
              .reach = Reach::everybody, .leaves_unread = true},
    Algorithm{.name = "flat", .collective = Collective::allgather, .protocols = everywhere_or_one_hop,
              .make = rootless<flat_allgather>, .cost = exchange, .source = shared_memory,
              .reach = Reach::everybody},
    allgather_row<Halving>("circulant", pulled, traeff_prop3),
    allgather_row<Circular<Skips::power_of_two>>("bruck", pulled, "Bruck et al. 1997; Träff 2024, Corollary 2"),
    allgather_row<Circular<Skips::fully_connected>>("circulant-fully-connected", pulled, traeff_cor2),
    allgather_row<Circular<Skips::square_root>>("circulant-square-root", pulled, traeff_cor2),
    allgather_row<Ring>("ring", pulled, grama_allgather),
    allgather_row<Mesh>("mesh", pulled, grama_allgather),
    allgather_row<Hypercube>("hypercube", pulled, grama_allgather),
    levels_row<Acting::shares, Collective::allgather>(
        [](int p, int) { return copies_on_levels<1>(p, p - 1); }, Bound::exact, no_scratch),
    levels_row<Acting::leaders, Collective::allgather>(
        [](int p, int) { return copies_on_levels<2>(p, p - 1); }, Bound::exact, no_scratch),
    levels_row<Acting::direct, Collective::allgather>(exchange, Bound::exact, no_scratch),
    levels_row<Acting::near, Collective::allgather>(
        [](int p, int) { return one_exchange(p, 2L * p, 0); }, Bound::volume, no_scratch),

    // gather
    copies_row<Collective::gather, true>("direct", pulled, exchange),
    copies_row<Collective::gather, false>("flat", everywhere_or_one_hop, exchange),
    gather_row<Halving>("circulant", half_but_own, traeff_gather),
    gather_row<Ring>("ring", all_but_two, grama_gather),
    gather_row<Mesh>("mesh", all_but_two, grama_gather),
    gather_row<Hypercube>("hypercube", half_the_blocks, grama_gather),
    levels_row<Acting::leaders, Collective::gather>(
        [](int p, int) { return copies_on_levels<1>(p, p - 1); }, Bound::volume, group_partials),

    // scatter
    copies_row<Collective::scatter, false>("direct", everywhere_or_one_hop, single),
    copies_row<Collective::scatter, true>("push", pulled, single),
    scatter_row<Halving>("circulant", [](int p, int) { return CostTerms{log2_up(p), p / 2, 0}; }, half_but_own,
                         traeff_gather),
    scatter_row<Ring>("ring", [](int p, int) { return CostTerms{p - 1, p - 1, 0}; }, all_but_two, grama_gather),
    scatter_row<Mesh>("mesh",
                      [](int p, int) {
                          const auto mesh = graph::mesh(p);
                          const long blocks = mesh[0] == 1 ? p - 1 : (mesh[0] - 1L) * mesh[1];
                          return CostTerms{Mesh::rounds(p), blocks, 0};
                      },
                      all_but_two, grama_gather),
    scatter_row<Hypercube>("hypercube", [](int p, int) { return CostTerms{log2_up(p), p / 2, 0}; }, half_the_blocks,
                           grama_gather),
    levels_row<Acting::leaders, Collective::scatter>(
        [](int p, int) { return copies_on_levels<1>(p, largest_group_of_eights(p)); }, Bound::volume,
        group_partials),

    // alltoall
    copies_row<Collective::alltoall, false>("direct", eager_or_one_hop, exchange),
    copies_row<Collective::alltoall, true>("push", separate, exchange),
    Algorithm{.name = "pairwise", .collective = Collective::alltoall, .protocols = one_hop,
              .make = rootless<pairwise_alltoall>,
              .cost = [](int p, int) { return CostTerms{p - 1, p - 1, 0}; }, .source = grama_alltoall},
    Algorithm{.name = "ring", .collective = Collective::alltoall, .protocols = separate,
              .make = rootless<ring_alltoall>,
              .cost = [](int p, int) { return CostTerms{p - 1, p * (p - 1L) / 2, 0}; },
              .scratch = all_but_two, .source = grama_alltoall},
    Algorithm{.name = "ring-bidirectional", .collective = Collective::alltoall, .protocols = separate,
              .make = rootless<bidirectional_ring_alltoall>,
              .cost = [](int p, int) { return CostTerms{p / 2, static_cast<long>(p) * p / 4, 0}; },
              .scratch = all_but_three, .source = grama_alltoall},
    Algorithm{.name = "mesh", .collective = Collective::alltoall, .protocols = separate,
              .make = torus_exchange<graph::mesh>,
              .cost = [](int p, int) { return CostTerms{Mesh::rounds(p), torus_alltoall_blocks(p, graph::mesh(p)), 0}; },
              .scratch = all_but_one, .source = grama_alltoall},
    Algorithm{.name = "hypercube", .collective = Collective::alltoall, .ranks = Ranks::powers_of_two,
              .protocols = separate, .make = torus_exchange<graph::hypercube>,
              .cost = [](int p, int) { return CostTerms{log2_up(p), log2_up(p) * p / 2, 0}; },
              .scratch = all_but_two, .source = grama_alltoall},
    Algorithm{.name = "circulant", .collective = Collective::alltoall, .protocols = separate,
              .make = rootless<circulant_alltoall>,
              .cost = [](int p, int) { return CostTerms{log2_up(p), circulant_alltoall_blocks(p), 0}; },
              .scratch = all_but_three, .source = traeff_sec4},
    levels_row<Acting::exchange, Collective::alltoall>(
        radix_alltoall<3>, Bound::exact, [](int p, int) { return std::max(p - 8L, 0L); }),

    // scan
    Algorithm{.name = "direct", .collective = Collective::scan, .order = Order::asked, .protocols = pulled,
              .make = prefixes<direct_scan, Inclusion::inclusive>, .cost = shared_out,
              .source = shared_memory, .reach = Reach::everybody},
    Algorithm{.name = "flat", .collective = Collective::scan, .order = Order::asked,
              .protocols = eager_or_zero_copy, .make = prefixes<flat_scan, Inclusion::inclusive>,
              .cost = [](int p, int) { return one_exchange(p, p - 1, p - 1); }, .source = shared_memory,
              .reach = Reach::everybody},
    Algorithm{.name = "ring", .collective = Collective::scan, .order = Order::serial, .protocols = pulled,
              .make = prefixes<ring_scan, Inclusion::inclusive>,
              .cost = [](int p, int) { return CostTerms{p - 1, p > 1 ? 1 : 0, p > 1 ? 1 : 0}; },
              .source = "Grama et al. 2003, prefix sums on a linear array"},
    Algorithm{.name = "hypercube", .collective = Collective::scan, .order = Order::canonical,
              .protocols = separate, .make = prefixes<hypercube_scan, Inclusion::inclusive>,
              .cost = [](int p, int) {
                  return CostTerms{log2_up(p), log2_up(p), p == 2 ? 1 : std::max(2 * log2_up(p) - 2, 0L)};
              }, .bound = Bound::volume,
              .scratch = [](int p, int) { return std::clamp(log2_up(p) - 1, 0L, 2L); }, .source = grama_scan},
    levels_row<Acting::leaders, Collective::scan>(whole_on_levels<3, 1>, Bound::volume, level_sums<2>),

    // exscan
    Algorithm{.name = "direct", .collective = Collective::exscan, .order = Order::asked, .protocols = pulled,
              .make = prefixes<direct_scan, Inclusion::exclusive>,
              .cost = [](int p, int) { return one_exchange(p, 2L * (p - 1), p - 2); },
              .source = shared_memory, .reach = Reach::everybody},
    Algorithm{.name = "flat", .collective = Collective::exscan, .order = Order::asked,
              .protocols = eager_or_zero_copy, .make = prefixes<flat_scan, Inclusion::exclusive>,
              .cost = [](int p, int) { return one_exchange(p, p - 1, p - 2); }, .source = shared_memory,
              .reach = Reach::everybody},
    Algorithm{.name = "ring", .collective = Collective::exscan, .order = Order::serial, .protocols = separate,
              .make = prefixes<ring_scan, Inclusion::exclusive>,
              .cost = [](int p, int) { return CostTerms{p - 1, std::min(p - 1, 2), p > 2 ? 1 : 0}; },
              .source = "Grama et al. 2003, prefix sums on a linear array"},
    Algorithm{.name = "hypercube", .collective = Collective::exscan, .order = Order::canonical,
              .protocols = separate, .make = prefixes<hypercube_scan, Inclusion::exclusive>,
              .cost = [](int p, int) { return CostTerms{log2_up(p), log2_up(p), std::max(2 * log2_up(p) - 3, 0L)}; },
              .bound = Bound::volume,
              .scratch = [](int p, int) { return std::clamp(log2_up(p) - 1, 0L, 2L); }, .source = grama_scan},
    levels_row<Acting::leaders, Collective::exscan>(whole_on_levels<3, 1>, Bound::volume, level_sums<2>),

    // shift
    Algorithm{.name = "direct", .collective = Collective::shift, .protocols = eager_or_zero_copy,
              .make = direct_shift,
              .cost = [](int p, int k) { return k == 0 ? CostTerms{} : one_exchange(p, 1, 0); },
              .source = "Grama et al. 2003, circular shift with E-cube routing"},
    Algorithm{.name = "ring", .collective = Collective::shift, .protocols = separate, .make = ring_shift,
              .cost = [](int p, int k) { return CostTerms{around(p, k), around(p, k), 0}; },
              .scratch = one_block, .source = grama_shift},
    Algorithm{.name = "mesh", .collective = Collective::shift, .protocols = separate, .make = mesh_shift,
              .cost = mesh_shift_counts, .bound = Bound::volume, .scratch = one_block, .source = grama_shift},
    Algorithm{.name = "hypercube", .collective = Collective::shift, .ranks = Ranks::powers_of_two,
              .protocols = separate, .make = hypercube_shift, .cost = [](int /*p*/, int k) {
                  const long rounds = std::popcount(static_cast<unsigned>(k));
                  return CostTerms{rounds, rounds, 0};
              }, .scratch = one_block, .source = grama_shift},
};

} // namespace

} // namespace rows

static_assert(rows::table.size() <= most_rows);

std::span<const Algorithm> registry() {
    return rows::table;
}

} // namespace tutti::algorithm
