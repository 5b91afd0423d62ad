#include "algorithm/registry.hpp"

#include "algorithm/algorithms.hpp"
#include "graph/circulant.hpp"

#include <array>

namespace tutti::algorithm {

using graph::Skips;
using schedule::Collective;

namespace {

long skip_rounds(int ranks, Skips kind) {
    return static_cast<long>(graph::skips(ranks, kind).size()) - 1;
}

template <Skips kind>
Algorithm circulant_allreduce_row(std::string_view name, std::string_view source) {
    return {name,
            Collective::allreduce,
            OperatorNeeds::commutative,
            false,
            false,
            true,
            true,
            source,
            [](int p) { return circulant_allreduce(p, graph::skips(p, kind)); },
            [](int p) {
                return Counts{2 * skip_rounds(p, kind), 2L * (p - 1), p - 1};
            },
            false};
}

template <Skips kind>
Algorithm circulant_reduce_scatter_row(std::string_view name, std::string_view source) {
    return {name,
            Collective::reduce_scatter,
            OperatorNeeds::commutative,
            false,
            false,
            true,
            true,
            source,
            [](int p) { return circulant_reduce_scatter(p, graph::skips(p, kind)); },
            [](int p) {
                return Counts{skip_rounds(p, kind), p - 1, p - 1};
            },
            false};
}

template <Skips kind>
Algorithm circulant_allgather_row(std::string_view name, std::string_view source) {
    return {name,
            Collective::allgather,
            OperatorNeeds::none,
            false,
            false,
            true,
            true,
            source,
            [](int p) { return circulant_allgather(p, graph::skips(p, kind)); },
            [](int p) {
                return Counts{skip_rounds(p, kind), p - 1, 0};
            },
            false};
}

Counts one_exchange(int ranks, long blocks, long reductions) {
    return ranks == 1 ? Counts{} : Counts{1, blocks, reductions};
}

Counts census_counts(int ranks) {
    const long q = graph::rounds_log2(ranks);
    return {q, q, q == 0 ? 0 : 2 * q - 1};
}

constexpr std::string_view traeff_alg1 = "Träff 2024, Alg. 1, Theorem 1";
constexpr std::string_view traeff_alg2 = "Träff 2024, Alg. 2, Theorem 2";
constexpr std::string_view traeff_cor2 = "Träff 2024, Corollary 2";
constexpr std::string_view traeff_allgather = "Träff et al. 2023, Prop. 3; Träff 2024, Alg. 2";
constexpr std::string_view traeff_census = "Träff et al. 2023, Listing 2, Prop. 1";
constexpr std::string_view shared_memory = "shared memory, one exchange";

constexpr std::string_view halving = "circulant";
constexpr std::string_view power_of_two = "circulant-power-of-two";
constexpr std::string_view fully_connected = "circulant-fully-connected";
constexpr std::string_view square_root = "circulant-square-root";

const std::array rows{
    Algorithm{"direct", Collective::barrier, OperatorNeeds::none, false, true, false, false, shared_memory,
              direct_barrier, [](int p) { return one_exchange(p, p - 1, 0); }, false},
    Algorithm{"dissemination", Collective::barrier, OperatorNeeds::none, false, true, false, false,
              "dissemination over the circulant graph of Träff 2024", dissemination_barrier,
              [](int p) {
                  return Counts{graph::rounds_log2(p), graph::rounds_log2(p), 0};
              },
              false},

    Algorithm{"direct", Collective::allreduce, OperatorNeeds::associative, true, false, true, true,
              shared_memory, direct_allreduce, [](int p) { return one_exchange(p, 2L * (p - 1), p - 1); },
              false},
    Algorithm{"flat", Collective::allreduce, OperatorNeeds::associative, true, true, true, false,
              shared_memory, flat_allreduce, [](int p) { return one_exchange(p, p - 1, p - 1); }, false},
    circulant_allreduce_row<Skips::halving>(halving, traeff_alg2),
    circulant_allreduce_row<Skips::power_of_two>(power_of_two, traeff_cor2),
    circulant_allreduce_row<Skips::fully_connected>(fully_connected, traeff_cor2),
    circulant_allreduce_row<Skips::square_root>(square_root, traeff_cor2),
    Algorithm{"census", Collective::allreduce, OperatorNeeds::exact, false, true, true, false, traeff_census,
              census_allreduce, census_counts, true},

    Algorithm{"direct", Collective::reduce_scatter, OperatorNeeds::associative, true, true, true, true,
              shared_memory, direct_reduce_scatter, [](int p) { return one_exchange(p, p - 1, p - 1); },
              false},
    circulant_reduce_scatter_row<Skips::halving>(halving, traeff_alg1),
    circulant_reduce_scatter_row<Skips::power_of_two>(power_of_two, traeff_cor2),
    circulant_reduce_scatter_row<Skips::fully_connected>(fully_connected, traeff_cor2),
    circulant_reduce_scatter_row<Skips::square_root>(square_root, traeff_cor2),

    Algorithm{"direct", Collective::allgather, OperatorNeeds::none, false, false, true, true, shared_memory,
              direct_allgather, [](int p) { return one_exchange(p, p - 1, 0); }, false},
    Algorithm{"flat", Collective::allgather, OperatorNeeds::none, false, true, true, true, shared_memory,
              flat_allgather, [](int p) { return one_exchange(p, p - 1, 0); }, false},
    circulant_allgather_row<Skips::halving>(halving, traeff_allgather),
    circulant_allgather_row<Skips::power_of_two>(power_of_two, "Bruck et al. 1997; Träff 2024, Corollary 2"),
    circulant_allgather_row<Skips::fully_connected>(fully_connected, traeff_cor2),
    circulant_allgather_row<Skips::square_root>(square_root, traeff_cor2),
};

} // namespace

std::string_view to_string(OperatorNeeds needs) {
    switch (needs) {
    case OperatorNeeds::none:
        return "none";
    case OperatorNeeds::associative:
        return "associative";
    case OperatorNeeds::commutative:
        return "commutative";
    case OperatorNeeds::exact:
        return "commutative and exact";
    }
    return "unknown";
}

bool takes(const Algorithm& algorithm, schedule::Form form) {
    switch (form) {
    case schedule::Form::separate:
        return algorithm.pulls;
    case schedule::Form::in_place:
        return algorithm.pulls_in_place;
    case schedule::Form::carried:
        return algorithm.carries;
    }
    return false;
}

std::span<const Algorithm> registry() {
    return rows;
}

const Algorithm* find(Collective collective, std::string_view name) {
    for (const Algorithm& row : rows) {
        if (row.collective == collective && row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

std::string names(Collective collective) {
    std::string list;
    for (const Algorithm& row : rows) {
        if (row.collective == collective) {
            list += (list.empty() ? "" : ", ") + std::string(row.name);
        }
    }
    return list;
}

} // namespace tutti::algorithm
