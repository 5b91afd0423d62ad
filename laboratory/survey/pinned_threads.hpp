#pragma once

#include "measure/gate.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace tutti::laboratory {

/// Runs `body(i, gate)` on a thread that is pinned to CPU cpus[i], for all at once; the gate is for all of
/// them. Throws std::runtime_error if the system does not let a thread be pinned, after which none has run
/// `body`. \pre `body` does not throw
void on_cpus(std::span<const int> cpus,
             const std::function<void(std::size_t index, bench::Gate& gate)>& body);

} // namespace tutti::laboratory
