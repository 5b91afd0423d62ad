#pragma once

#include "schedule/schedule.hpp"

#include <string>

namespace tutti::draw {

/// One line for each message: "round 0: 3 -> 1: blocks 4..5, combined".
std::string text(const schedule::Schedule& schedule);

} // namespace tutti::draw
