#pragma once

#include "call/arguments.hpp"
#include "run/private_layout.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

namespace tutti::engine {

/// As checked_shape(), for a call in which only the sender and the receiver of a block know of it; stores
/// their places in `blocks`. Throws ArgumentError.
TUTTI_COMPONENT_API Shape checked_layout(const detail::Call& call, int rank, int members,
                                         run::PrivateLayout& blocks);

} // namespace tutti::engine
