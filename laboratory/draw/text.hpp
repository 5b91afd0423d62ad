#pragma once

#include "schedule/schedule.hpp"

#include <string>
#include <string_view>

namespace tutti::draw {

/// One line for each message: "round 0: 3 -> 1: blocks 4..5, combined".
std::string text(const schedule::Schedule& schedule, std::string_view algorithm);

} // namespace tutti::draw
