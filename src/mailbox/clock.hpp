#pragma once

#include <tutti/detail/export.hpp>

#include <chrono>
#include <cstdint>

// The clock of timeouts. A test may link tests/fast_clock.cpp instead of clock.cpp.

namespace tutti::mailbox {

/// The time of a clock that only grows.
TUTTI_COMPONENT_API std::chrono::nanoseconds clock_now() noexcept;

/// The same, some ms behind, at a fifth of the cost.
TUTTI_COMPONENT_API std::chrono::nanoseconds coarse_clock_now() noexcept;

/// The time of the machine in which this clock proceeds by `ns`.
std::int64_t machine_ns(std::int64_t ns) noexcept;

} // namespace tutti::mailbox
