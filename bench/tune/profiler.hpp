#pragma once

#include "machine/thresholds.hpp"

#include <optional>

namespace tutti::bench {

/// Measures the profile of `machine` on two CPUs, as far apart as "compact" has the first two, in about so
/// many seconds: in several passes, since a host may move its virtual CPUs meanwhile. Nothing if there is
/// only one CPU.
std::optional<machine::Thresholds> measure_thresholds(const machine::Machine& machine, double seconds);

} // namespace tutti::bench
