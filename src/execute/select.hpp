#pragma once

#include "schedule/synchronise.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>

namespace tutti::execute {

schedule::Collective collective_of(detail::Kind kind);

/// An algorithm, as its row in the registry, and the form in which it is carried out.
struct Selection {
    std::size_t row = 0;
    schedule::Form form = schedule::Form::separate;
};

/// What selection needs to know of a call besides the call itself.
struct CallSize {
    /// Bytes that a member sends to a member that wants all it has.
    std::size_t message_bytes = 0;
    /// Input and output are the same memory.
    bool in_place = false;
    int members = 1;
    /// The vectors of all members together do not fit into the caches.
    bool beyond_caches = false;
};

/// Selects for a call: the algorithm it names, or the library's choice: what can be carried goes through the
/// mailbox in one exchange, everything else in one pass over the vectors. Throws ArgumentError when there is
/// no such algorithm, or when it cannot take the operator, or the size in place.
Selection select(const detail::Call& call, const CallSize& size);

} // namespace tutti::execute
