#include "survey/find_profile.hpp"

#include "distance/published.hpp"
#include "survey/profile_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace tutti::bench {

distance::LineProfile find_line_profile(const std::string& name_or_file) {
    const auto all = distance::published();
    const auto found = std::ranges::find(all, name_or_file, &distance::Published::name);
    if (found != all.end()) {
        return found->profile;
    }
    if (std::filesystem::exists(name_or_file)) {
        return read_line_profile(name_or_file);
    }
    std::string names;
    for (const distance::Published& each : all) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", each.name);
    }
    throw std::invalid_argument(fmt::format(
        "\"{}\" is neither a file, as tutti measure writes one, nor one of {}", name_or_file, names));
}

} // namespace tutti::bench
