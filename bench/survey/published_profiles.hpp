#pragma once

#include "distance/line_profile.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tutti::bench {

/// A file of topology/profiles, which the command has in it.
struct PublishedProfile {
    std::string_view name; ///< that of the file, without what follows the dot
    std::string_view text;
};

/// All there are, by name.
std::span<const PublishedProfile> published_profiles();

/// The profile of that name, or else in the file of that name. Throws std::invalid_argument that lists the
/// names where it is neither, and like read_line_profile().
distance::LineProfile find_line_profile(const std::string& name_or_file);

} // namespace tutti::bench
