#pragma once

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::hybrid {

/// In place of a row of the registry: a chain of processes, which combine from the left; and messages with
/// the blocks that members send to each other.
inline constexpr std::uint32_t chain_algorithm = UINT32_MAX;
inline constexpr std::uint32_t blocks_algorithm = UINT32_MAX - 1;

/// The inputs of the choice of an algorithm among the processes.
struct Route {
    int processes = 1;
    /// Bytes of the whole vector.
    std::size_t bytes = 0;
    /// Whether all processes have equally many members.
    bool even = true;
};

/// Whether order serial requires a chain of processes: whether the call has that order, and any other order
/// might give other bits.
bool needs_chain(const detail::Call& call);

/// The algorithm that the leaders run for `call`: the row of the registry that `name` is, or chain_algorithm
/// where that is needed, or for an empty name Tutti's choice. Throws ArgumentError when there is none of that
/// name, or when it cannot serve the call, naming what would work.
std::uint32_t choose_algorithm(const detail::Call& call, std::string_view name, const Route& route);

} // namespace tutti::hybrid
