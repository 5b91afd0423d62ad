// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>

#include <memory>
#include <span>
#include <utility>

namespace tutti::v0_1 {

/// The neighbours of a member in a graph, for Member::neighbor_alltoall: to whom it sends, and from whom it
/// receives. Made by Member::neighbors() for any graph, and by Member::grid() for a Cartesian grid.
///
/// It is a value that belongs to one rank of groups of one size, not to a group: it may be copied, used in a
/// dup() of its group, and outlive it. All functions are thread-safe.
class Neighbors {
public:
    /// In a list of ranks: no neighbour. Its block is neither read nor written. As MPI_PROC_NULL.
    static constexpr int none = -1;

    /// Internal: use Member::neighbors() or Member::grid().
    explicit Neighbors(std::shared_ptr<const detail::Neighborhood> graph) noexcept
        : graph_(std::move(graph)) {}

    /// The ranks from which the member receives, in the order of the blocks of `out`.
    TUTTI_API std::span<const int> sources() const noexcept;
    /// The ranks to which the member sends, in the order of the blocks of `in`.
    TUTTI_API std::span<const int> destinations() const noexcept;

    /// Internal.
    const detail::Neighborhood* graph() const noexcept { return graph_.get(); }

private:
    /// Null after a move.
    std::shared_ptr<const detail::Neighborhood> graph_;
};

} // namespace tutti::v0_1
