#pragma once

#include <tutti/detail/call.hpp>

#include "schedule/synchronise.hpp"

#include <cstddef>

namespace tutti::execute {

schedule::Collective collective_of(detail::Kind kind);

/// An algorithm, as its row in the registry, and the form in which it is carried out.
struct Selection {
    std::size_t row = 0;
    schedule::Form form = schedule::Form::separate;
};

/// Selects for a call whose messages have `message_bytes` each: the algorithm it names, or the library's choice: what fits
/// into a slot goes through the slots in one exchange, everything else in one pass over the vectors.
/// Throws ArgumentError when there is no such algorithm, or when it cannot take the operator or the size.
Selection select(const detail::Call& call, std::size_t message_bytes, bool in_place);

} // namespace tutti::execute
