#include "sweep/coverage.hpp"

#include "algorithm/registry.hpp"
#include "terminal/text.hpp"
#include "threads/tutti_calls.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

namespace tutti::bench {

namespace {

/// Why the collective cannot be done by the algorithm, which it has; empty if it can.
std::string refusal_of(const algorithm::Algorithm& row, const Problem& problem) {
    return library::refusal(row, selection_input_of(problem).call, problem.members);
}

std::string missing_text(const BenchOptions& options) {
    std::string text;
    for (const Collective collective : options.collectives) {
        std::vector<std::string> missing;
        std::ranges::copy_if(options.algorithms, std::back_inserter(missing), [&](const std::string& name) {
            return !name.empty() && algorithm::find(collective, name) == nullptr;
        });
        if (!missing.empty()) {
            text += fmt::format("tutti: {} has no algorithm {}, and is measured {}\n", to_string(collective),
                                fmt::join(missing, ", "),
                                missing.size() == options.algorithms.size() ? "not at all" : "by the others");
        }
    }
    return text;
}

std::string refused_text(const BenchOptions& options) {
    std::map<std::string, std::map<std::string, std::vector<std::string>>>
        refused; // by reason, by collective
    for (const int members : options.members) {
        for (const Problem& problem : problems_for(options, members)) {
            for (const std::string& name : options.algorithms) {
                const algorithm::Algorithm* const row = algorithm::find(problem.collective, name);
                const std::string why = row == nullptr ? "" : refusal_of(*row, problem);
                if (why.empty()) {
                    continue;
                }
                auto& names = refused[why][std::string(to_string(problem.collective))];
                if (std::ranges::find(names, name) == names.end()) {
                    names.push_back(name);
                }
            }
        }
    }
    std::string text;
    for (const auto& [why, collectives] : refused) {
        std::vector<std::string> parts;
        for (const auto& [collective, names] : collectives) {
            parts.push_back(fmt::format("{} by {}", collective, fmt::join(names, ", ")));
        }
        text += fmt::format("tutti: left out: {} ({})\n", fmt::join(parts, "; "), why);
    }
    return text;
}

} // namespace

bool applies(const BenchOptions& options, const std::string& name, const Problem& problem) {
    if (name.empty()) {
        return true;
    }
    const algorithm::Algorithm* const row = algorithm::find(problem.collective, name);
    return row != nullptr && (!options.all_algorithms || refusal_of(*row, problem).empty());
}

std::string left_out_text(const BenchOptions& options) {
    return options.all_algorithms ? refused_text(options) : missing_text(options);
}

} // namespace tutti::bench
