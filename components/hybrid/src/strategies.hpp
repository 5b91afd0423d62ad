#pragma once

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::hybrid {

/// How the vectors of a process travel.
enum class Strategy : std::uint8_t { leader, pipelined };

/// What is combined, carried and stored in one go, so that it stays in a core's own cache.
inline constexpr std::size_t segment_bytes = std::size_t{1} << 20U;

/// Up to so many bytes members exchange values in one go instead of combining slices, or letting one do all.
inline constexpr std::size_t one_exchange_bytes = 4096;

/// How many segments a vector of so many bytes is: 1 at least.
constexpr std::size_t segments_of(std::size_t bytes) {
    return bytes <= segment_bytes ? 1 : (bytes + segment_bytes - 1) / segment_bytes;
}

/// Whether a vector may be cut into parts that have nothing to do with each other, and which enough members
/// of a process want for that to pay: of a gather or a scatter only the root's process has more than a block.
bool can_be_cut(Collective collective);

/// The way called `name`, or for an empty name Tutti's choice for vectors of `bytes` bytes; `have_cpus` is
/// whether in every process several members have a CPU each, so that what one does costs the others nothing.
/// Throws ArgumentError when there is no such way, or when the call does not allow it, naming what would
/// work.
Strategy choose_strategy(const detail::Call& call, std::size_t bytes, std::string_view name, bool have_cpus);

} // namespace tutti::hybrid
