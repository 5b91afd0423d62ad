#include "algorithm/registry.hpp"

#include "graph/graphs.hpp"

namespace tutti::algorithm {

std::string_view to_string(Order order) {
    constexpr std::string_view names[] = {"none", "any", "same", "rank", "canonical", "serial", "asked"};
    return names[static_cast<std::size_t>(order)];
}

std::string_view needs(Order order) {
    switch (order) {
    case Order::any:
        return "commutative, exact";
    case Order::same:
        return "commutative";
    case Order::rank:
    case Order::canonical:
    case Order::serial:
    case Order::asked:
        return "associative";
    case Order::none:
        break;
    }
    return "none";
}

bool keeps_rank_order(Order order) {
    return order == Order::none || order >= Order::rank;
}

bool has_brackets(const Algorithm& algorithm, detail::Association association, int ranks) {
    constexpr int same_in_both = 3;
    switch (algorithm.order) {
    case Order::none:
    case Order::asked:
        return true;
    case Order::rank:
        return association == detail::Association::tree && graph::is_power_of_two(ranks);
    case Order::canonical:
        return association == detail::Association::tree || ranks <= same_in_both;
    case Order::serial:
        return association == detail::Association::left || ranks <= same_in_both;
    case Order::any:
    case Order::same:
        break;
    }
    return false;
}

bool combines_in_one_pass(const Algorithm& algorithm, int ranks) {
    constexpr int has_no_partial_results = 2;
    return algorithm.order == Order::none || algorithm.order == Order::asked ||
           ranks <= has_no_partial_results;
}

bool combines_single_operands(const Algorithm& algorithm) {
    const bool is_prefix = detail::traits_of(algorithm.collective).is_prefix();
    return algorithm.order == Order::asked && !(is_prefix && algorithm.protocols.eager);
}

schedule::Schedule make(const Algorithm& algorithm, const graph::LevelTree& tree, int root) {
    return algorithm.make_on == nullptr ? algorithm.make(tree.ranks(), root) : algorithm.make_on(tree, root);
}

bool has_one_round(const Algorithm& algorithm, int ranks) {
    return algorithm.make_on == nullptr && algorithm.cost(ranks, 0).rounds <= 1;
}

bool takes(const Algorithm& algorithm, schedule::Protocol protocol) {
    switch (protocol) {
    case schedule::Protocol::zero_copy:
        return algorithm.protocols.pulled;
    case schedule::Protocol::in_place:
        return algorithm.protocols.in_place;
    case schedule::Protocol::eager:
        return algorithm.protocols.eager;
    }
    return false;
}

bool takes(const Algorithm& algorithm, int ranks) {
    return algorithm.ranks == Ranks::any || graph::is_power_of_two(ranks);
}

bool has_root(const Algorithm& algorithm) {
    return detail::traits_of(algorithm.collective).takes_number();
}

const Algorithm* find(Collective collective, std::string_view name) {
    for (const Algorithm& row : registry()) {
        if (row.collective == collective && row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

std::size_t index_of(const Algorithm& row) {
    return static_cast<std::size_t>(&row - registry().data());
}

std::string names(Collective collective, const std::function<bool(const Algorithm&)>& is_listed) {
    std::string list;
    for (const Algorithm& row : registry()) {
        if (row.collective == collective && is_listed(row)) {
            list += (list.empty() ? "" : ", ") + std::string(row.name);
        }
    }
    return list;
}

} // namespace tutti::algorithm
