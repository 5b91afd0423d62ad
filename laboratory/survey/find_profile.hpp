#pragma once

#include "distance/line_profile.hpp"

#include <string>

namespace tutti::laboratory {

/// The published profile of that name, or else the one in the file of that name. Throws std::invalid_argument
/// that lists the names where it is neither, and like read_line_profile().
distance::MachineModel find_line_profile(const std::string& name_or_file);

} // namespace tutti::laboratory
