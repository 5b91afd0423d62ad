#pragma once

#include "tasks/src/contribution.hpp"

#include <cstdint>
#include <span>

namespace tutti::tasks {

/// Throws MismatchError unless all ranks make the same call, the `number`-th one, or 0 if there are no
/// others, with vectors of their own.
void require_agreement(std::span<const Contribution> all, std::uint64_t number);

} // namespace tutti::tasks
