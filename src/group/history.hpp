#pragma once

#include "call/call_log.hpp"
#include "group/shared_memory.hpp"

#include <cstdint>
#include <optional>

namespace tutti::engine {

/// The calls of a member, as far as its log reaches. Any member may call this at any time: empty while the
/// member writes.
std::optional<CallHistory> history_of(const SharedMemory& memory, Sequence sequence, int member);

/// The number of the call that blocks that a member is in, or of the last one.
std::uint64_t last_blocking(const SharedMemory& memory, int member);

} // namespace tutti::engine
