#pragma once

#include "distance/line_profile.hpp"

#include <span>
#include <string>

namespace tutti::distance {

/// A profile of laboratory/profiles: of a machine that somebody else has measured.
struct Published {
    std::string name; ///< that of the file, without what follows the dot
    MachineModel profile;
};

/// All there are, by name.
std::span<const Published> published();

} // namespace tutti::distance
