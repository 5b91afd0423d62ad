#include "survey/find_profile.hpp"

#include "distance/published.hpp"
#include "survey/profile_json.hpp"
#include "terminal/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace tutti::laboratory {

distance::MachineModel find_line_profile(const std::string& name_or_file) {
    const auto all = distance::published();
    const auto found = std::ranges::find(all, name_or_file, &distance::Published::name);
    if (found != all.end()) {
        return found->profile;
    }
    if (std::filesystem::exists(name_or_file)) {
        return read_line_profile(name_or_file);
    }
    std::vector<std::string> names;
    std::ranges::transform(all, std::back_inserter(names), &distance::Published::name);
    if (name_or_file.empty()) {
        throw std::invalid_argument(fmt::format(
            "which one? A file that tutti measure has written, or a published machine; there are: {}",
            fmt::join(names, ", ")));
    }
    throw std::invalid_argument(
        fmt::format("\"{}\" is neither a file, as tutti measure writes one, nor a published machine{}; there "
                    "are: {}",
                    name_or_file, bench::did_you_mean(name_or_file, names), fmt::join(names, ", ")));
}

} // namespace tutti::laboratory
