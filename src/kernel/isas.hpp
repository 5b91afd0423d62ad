#pragma once

#include "kernel/table.hpp"

#include <span>

namespace tutti::kernel {

/// The instruction sets this CPU can run, narrowest first; never empty.
std::span<const Isa> available_isas();

} // namespace tutti::kernel
