#include "call/plans/neighborhood.hpp"
#include "wait/thread_progress.hpp"

#include <tutti/member.hpp>

#include <span>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE {

std::span<const int> Neighbors::sources() const noexcept {
    return graph_ != nullptr ? graph_->sources() : std::span<const int>();
}

std::span<const int> Neighbors::destinations() const noexcept {
    return graph_ != nullptr ? graph_->destinations() : std::span<const int>();
}

Neighbors Member::neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                            SourceLine where) {
    return engine::as_one_call(
        [&] { return detail::exchange_neighbors(*this, sources, destinations, where); });
}

Neighbors Member::grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const {
    return detail::neighbors_in_grid(rank_, size_, dims, wraps);
}

} // namespace tutti::inline TUTTI_NAMESPACE
