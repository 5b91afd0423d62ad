#pragma once

#include "execute/call_log.hpp"

#include <chrono>
#include <string>

namespace tutti::detail {
class GroupState;
}

namespace tutti::execute {

/// Why `member`, in its last call of a sequence, has waited too long, at last for `peer`: who is where.
std::string text_of_delay(const detail::GroupState& group, Sequence sequence, int member, int peer,
                          std::chrono::milliseconds deadline);

/// Where members have not joined: why that may be.
std::string advice_on_absence();

/// "1500 ms", "10 s".
std::string text_of(std::chrono::milliseconds time);

} // namespace tutti::execute
