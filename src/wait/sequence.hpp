#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::engine {

/// The sequences of calls of a group, each numbered on its own, in which all members must make the same ones:
/// those that block, nonblocking ones, and persistent ones, which may start at any time.
enum class Sequence : std::uint8_t { blocking, nonblocking, persistent };
constexpr std::size_t sequence_count = 3;

} // namespace tutti::engine
