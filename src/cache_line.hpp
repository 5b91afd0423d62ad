#pragma once

// Facts about the machine that all layers share. The file belongs to none, so that any may include it.

#include <cstddef>

namespace tutti {

/// Bytes that move between caches as one.
inline constexpr std::size_t line_bytes = 64;

/// The same if a processor fetches lines in pairs.
inline constexpr std::size_t paired_lines_bytes = 2 * line_bytes;

} // namespace tutti
