#pragma once

#include <tutti/detail/call.hpp>

#include <cstddef>

namespace tutti::execute {

/// The bytes of all members' vectors together, when each member's whole vector has `total_bytes`.
std::size_t touched_bytes(detail::Kind kind, std::size_t total_bytes, int members);

/// Whether vectors of so many bytes in all do not fit into the caches.
bool exceeds_caches(std::size_t touched_bytes);

/// Whether an operation that touches so many bytes in all writes the vectors of other members past the
/// caches. A member's own it writes so only where nothing fits.
bool streams_to_others(std::size_t touched_bytes);

} // namespace tutti::execute
