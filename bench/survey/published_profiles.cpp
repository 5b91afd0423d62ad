#include "survey/published_profiles.hpp"

#include "survey/profile_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace tutti::bench {

distance::LineProfile find_line_profile(const std::string& name_or_file) {
    const auto published = published_profiles();
    const auto found = std::ranges::find(published, name_or_file, &PublishedProfile::name);
    if (found != published.end()) {
        return parse_line_profile(found->text);
    }
    if (std::filesystem::exists(name_or_file)) {
        return read_line_profile(name_or_file);
    }
    std::string names;
    for (const PublishedProfile& profile : published) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", profile.name);
    }
    throw std::invalid_argument(fmt::format(
        "\"{}\" is neither a file, as tutti measure writes one, nor one of {}", name_or_file, names));
}

} // namespace tutti::bench
