#include "algorithm/neighbors.hpp"

#include "call/plans/neighborhood.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE {

namespace {

using algorithm::NamedNeighbors;

static_assert(Neighbors::none == schedule::Source::nobody);

Neighbors made(schedule::Graph graph, int rank, std::vector<int> destinations) {
    return Neighbors(
        std::make_shared<const detail::Neighborhood>(std::move(graph), rank, std::move(destinations)));
}

/// Throws ArgumentError unless these are the dimensions of a grid of so many members.
void check_grid(const std::vector<int>& dims, std::size_t wraps, int members) {
    std::string product;
    long long count = 1;
    for (const int length : dims) {
        product += (product.empty() ? "" : " x ") + std::to_string(length);
        count = length < 1 || count > members ? 0 : count * length;
    }
    if (count != members) {
        throw ArgumentError("grid: `dims` is " + (product.empty() ? "empty" : product) +
                            ": the product must be the number of members, " + std::to_string(members));
    }
    if (wraps != dims.size()) {
        throw ArgumentError("grid: `wraps` has " + std::to_string(wraps) +
                            " entries, must have one for each of the " + std::to_string(dims.size()) +
                            " dimensions");
    }
}

} // namespace

std::span<const int> Neighbors::sources() const noexcept {
    return graph_ != nullptr ? graph_->sources() : std::span<const int>();
}

std::span<const int> Neighbors::destinations() const noexcept {
    return graph_ != nullptr ? graph_->destinations() : std::span<const int>();
}

Neighbors Member::neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                            SourceLine where) {
    const Options options{.where = where};
    const auto members = static_cast<std::size_t>(size_);
    using Sizes = std::array<std::size_t, 2>; // of sources and destinations
    std::vector<Sizes> sizes(members);
    const Sizes own{sources.size(), destinations.size()};
    allgather(std::span(&own, 1), sizes, options);
    std::vector<std::size_t> counts;
    counts.reserve(members);
    for (const Sizes& each : sizes) {
        counts.push_back(each[0] + each[1]);
    }
    std::vector<int> mine(sources);
    mine.insert(mine.end(), destinations.begin(), destinations.end());
    std::vector<int> all(detail::sum_of(counts));
    allgather(mine, all, Counts(counts), options);
    std::vector<NamedNeighbors> named;
    for (auto next = all.cbegin(); const Sizes& each : sizes) {
        const auto middle = next + static_cast<std::ptrdiff_t>(each[0]);
        const auto end = middle + static_cast<std::ptrdiff_t>(each[1]);
        named.push_back({{next, middle}, {middle, end}});
        next = end;
    }
    try {
        return made(algorithm::graph_of(named), rank_, destinations);
    } catch (const std::invalid_argument& error) {
        throw ArgumentError("neighbors: " + std::string(error.what()));
    }
}

Neighbors Member::grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const {
    check_grid(dims, wraps.size(), size_);
    return made(algorithm::grid(dims, wraps), rank_, algorithm::grid_neighbors(rank_, dims, wraps));
}

} // namespace tutti::inline TUTTI_NAMESPACE
