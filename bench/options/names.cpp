#include "options/names.hpp"

#include "algorithm/registry.hpp"
#include "measure/problem.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tutti::bench {

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream text(list);
    for (std::string word; std::getline(text, word, ',');) {
        words.push_back(word);
    }
    return words;
}

std::vector<Collective> all_collectives() {
    return {detail::all_collectives.begin(), detail::all_collectives.end()};
}

Collective collective_named(const std::string& text) {
    if (text.empty()) {
        throw UsageError("collective: which one? Such as allreduce");
    }
    try {
        return parse_collective(text);
    } catch (const std::invalid_argument& error) {
        throw UsageError(fmt::format("collective: {}", error.what()));
    }
}

std::vector<std::string> algorithm_names(std::span<const Collective> collectives) {
    std::vector<std::string> names;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        const std::string name(row.name);
        if (std::ranges::find(collectives, row.collective) != collectives.end() &&
            std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

void check_known(const char* option, const std::string& text, std::span<const std::string> known) {
    if (text.empty()) {
        throw UsageError(fmt::format("{}: which one? There are: {}", option, fmt::join(known, ", ")));
    }
    if (std::ranges::find(known, text) == known.end()) {
        throw UsageError(fmt::format("{}: \"{}\" is unknown{}; there are: {}", option, text,
                                     did_you_mean(text, known), fmt::join(known, ", ")));
    }
}

} // namespace tutti::bench
