#include "hybrid/src/schedule/algorithms.hpp"

#include "algorithm/registry.hpp"
#include "choose/select.hpp"
#include "graph/torus.hpp"
#include "hybrid/src/schedule/message_plan.hpp"

#include <tutti/error.hpp>

#include <string>

namespace tutti::hybrid {

using algorithm::Algorithm;

namespace {

/// From how many bytes on volume counts more than rounds. Allreduce of doubles between two processes on one
/// node, butterfly (whole vectors) and circulant (halves), Open MPI, microseconds: 8 KiB 3.5 and 5.7, 32 KiB
/// 5.6 and 7.3, 64 KiB 8.6 and 9.8, 128 KiB 14.8 and 14.9.
constexpr std::size_t long_bytes = std::size_t{128} << 10U;

/// Why the row cannot serve the call among processes, or nothing.
std::string refusal(const Algorithm& row, const detail::Call& call, const Route& route) {
    if (!takes(row, route.processes)) {
        return "is for powers of two, not for " + std::to_string(route.processes) + " processes";
    }
    if (row.reach == algorithm::Reach::everybody) {
        return "needs memory that all processes share";
    }
    if (call.collective == Collective::alltoall && !route.even && !row.protocols.one_hop) {
        return "needs equally many members in all processes";
    }
    detail::Call in_any_order = call;
    in_any_order.order = Order::canonical; // or there is no row for it, see needs_chain()
    return engine::refusal(row, in_any_order, route.processes);
}

/// Whether operands may be combined in any order. All others are combined in that of the processes.
bool is_free(const detail::Call& call) {
    return call.commutative && engine::is_exact(call);
}

std::string_view default_allreduce(const detail::Call& call, const Route& route) {
    const bool power = graph::is_power_of_two(route.processes);
    if (route.bytes < long_bytes) {
        return power ? "butterfly" : "butterfly-overlapping";
    }
    if (is_free(call)) {
        return "circulant";
    }
    return power ? "butterfly-halving" : "butterfly-overlapping-halving";
}

std::string_view default_name(const detail::Call& call, const Route& route) {
    const bool is_long = route.bytes >= long_bytes && route.processes > 2;
    const bool power = graph::is_power_of_two(route.processes);
    const detail::CollectiveTraits& traits = detail::traits_of(call.collective);
    switch (traits.result) {
    case detail::Result::nothing:
        return "dissemination";
    case detail::Result::of_pair:
        return "pairwise";
    case detail::Result::of_owner:
        return "circulant";
    case detail::Result::of_root:
        return traits.is_divided() ? "circulant" : is_long ? "scatter-allgather" : "tree";
    case detail::Result::of_all:
        if (!traits.is_rooted()) {
            return traits.is_divided() ? is_free(call) ? "circulant" : "butterfly"
                                       : default_allreduce(call, route);
        }
        // A tree associates as a butterfly only among a power of two of processes.
        return is_free(call)       ? is_long ? "reduce-scatter-gather" : "tree"
               : is_long || !power ? "butterfly"
                                   : "tree";
    default:
        return "hypercube";
    }
}

std::string names_that_serve(const detail::Call& call, const Route& route) {
    std::string list;
    for (const Algorithm& row : algorithm::registry()) {
        if (row.collective == call.collective && refusal(row, call, route).empty()) {
            list += (list.empty() ? "" : ", ") + std::string(row.name);
        }
    }
    return list;
}

} // namespace

bool needs_chain(const detail::Call& call) {
    return call.order == Order::serial && detail::traits_of(call.collective).reduces() &&
           !engine::is_exact(call);
}

std::uint32_t choose_algorithm(const detail::Call& call, std::string_view name, const Route& route) {
    if (needs_chain(call)) {
        if (!name.empty()) {
            throw ArgumentError(
                std::string(to_string(call.collective)) + ": algorithm \"" + std::string(name) +
                "\" does not combine from the left across processes, as order serial asks; leave "
                "the algorithm to the library");
        }
        return chain_algorithm;
    }
    const auto collective = call.collective;
    const Algorithm* const row = algorithm::find(collective, name.empty() ? default_name(call, route) : name);
    const std::string reason = row == nullptr ? "does not exist" : refusal(*row, call, route);
    if (!reason.empty()) {
        throw ArgumentError(std::string(to_string(collective)) + ": algorithm \"" + std::string(name) +
                            "\" " + reason +
                            "; these would work among processes: " + names_that_serve(call, route));
    }
    return static_cast<std::uint32_t>(algorithm::index_of(*row));
}

} // namespace tutti::hybrid
