#include "command/coverage.hpp"

#include "algorithm/registry.hpp"
#include "report/results_file.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/numbers.hpp"
#include "threads/selection_input.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::bench {

namespace {

/// Why the collective cannot be done by the algorithm, which it has; empty if it can.
std::string refusal_of(const algorithm::Algorithm& row, const Problem& problem) {
    return engine::refusal(row, selection_input_of(problem).call, problem.members);
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

std::string rounded_text(const BenchOptions& options) {
    std::string first;
    std::size_t others = 0;
    for (const int members : options.members) {
        for (const Collective collective : options.collectives) {
            for (const std::size_t bytes : options.bytes) {
                const Problem problem =
                    make_problem(collective, options.type, options.op, members, bytes, false);
                if (collective == Collective::barrier || problem.bytes() == bytes) {
                    continue;
                }
                if (first.empty()) {
                    first = fmt::format("{} become {} in {} of {} members", format_bytes(bytes),
                                        format_bytes(problem.bytes()), to_string(collective), members);
                } else {
                    ++others;
                }
            }
        }
    }
    if (first.empty()) {
        return "";
    }
    return fmt::format("tutti: vectors are made of whole elements and blocks: {}{}\n", first,
                       others == 0 ? "" : fmt::format("; so do {} other sizes", others));
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
    return (options.all_algorithms ? refused_text(options) : missing_text(options)) + rounded_text(options);
}

namespace {

/// An option and what is given to it.
using Given = std::pair<std::string, std::string>;

constexpr std::string_view between = "; ";

std::vector<Given> given(const BenchOptions& options) {
    std::vector<std::string> collectives;
    std::vector<std::string> algorithms;
    std::vector<std::string> callings;
    for (const Collective collective : options.collectives) {
        collectives.emplace_back(to_string(collective));
    }
    for (const std::string& name : options.algorithms) {
        algorithms.push_back(name.empty() ? "auto" : name);
    }
    for (const Calling& calling : options.callings) {
        callings.emplace_back(ways_of_calling[static_cast<std::size_t>(calling.way)]);
    }
    const auto list = [](const auto& values) { return fmt::format("{}", fmt::join(values, ",")); };
    return {{"collectives", list(collectives)},
            {"--begin", options.typed.begin},
            {"--end", options.typed.end},
            {"--factor", fmt::format("{:g}", options.typed.factor)},
            {"--members", list(options.members)},
            {"--algorithm", options.all_algorithms ? "all" : list(algorithms)},
            {"--type", std::string(to_string(options.type))},
            {"--op", std::string(to_string(options.op))},
            {"--in-place", list(options.in_place)},
            {"--shared", fmt::format("{}", options.shared)},
            {"--calling", list(callings)},
            {"--in-flight", fmt::format("{}", most_in_flight(options.callings))},
            {"--baseline", options.baselines.empty() ? "none" : list(options.baselines)},
            {"--rounds", fmt::format("{}", options.rounds)},
            {"--seconds", fmt::format("{:g}", options.typed.seconds)},
            {"--repetitions", fmt::format("{}", options.repetitions)},
            {"--check", fmt::format("{}", options.method.check)}};
}

/// The value of this option in the text of another command.
std::string value_in(const std::string& description, const std::string& option) {
    for (std::size_t at = 0; at < description.size();) {
        const std::size_t end = std::min(description.find(between, at), description.size());
        const std::string part = description.substr(at, end - at);
        if (part.starts_with(option + " ")) {
            return part.substr(option.size() + 1);
        }
        at = end + between.size();
    }
    return "not stated";
}

/// "--op was sum and is max, ...".
std::string differences(const std::string& begun, const BenchOptions& options) {
    std::vector<std::string> parts;
    for (const auto& [option, value] : given(options)) {
        if (const std::string before = value_in(begun, option); before != value) {
            parts.push_back(fmt::format("{} was {} and is {}", option, before, value));
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

std::string described(const BenchOptions& options) {
    std::vector<std::string> parts;
    for (const auto& [option, value] : given(options)) {
        parts.push_back(option + " " + value);
    }
    return fmt::format("{}", fmt::join(parts, between));
}

std::vector<Point> points_to_resume(const BenchOptions& options, Environment& environment) {
    const std::string& path = options.json_path;
    std::error_code error;
    const bool is_begun = std::filesystem::file_size(path, error) > 0;
    if (error || !is_begun) {
        fmt::print(stderr, "tutti: --resume: {} has nothing yet, so all is measured\n", path);
        return {};
    }
    try {
        Results results = read_json(path);
        if (results.asked != described(options)) {
            throw std::invalid_argument(
                fmt::format("{} is of another command: {}", path, differences(results.asked, options)));
        }
        const std::vector<Circumstance> here = circumstances(to_json(environment));
        for (std::size_t i = 0; i < here.size(); ++i) {
            const Circumstance& there = results.circumstances[i];
            if (there.value != here[i].value) {
                throw std::invalid_argument(
                    fmt::format(R"({} was measured elsewhere: {} was "{}", here it is "{}")", path,
                                there.name, there.value, here[i].value));
            }
        }
        const nlohmann::json begun = nlohmann::json::parse(results.environment);
        environment.command = begun.value("command", environment.command);
        environment.time = begun.value("time", environment.time);
        return std::move(results.points);
    } catch (const std::invalid_argument& wrong) {
        throw UsageError(fmt::format("--resume: {}", wrong.what()));
    }
}

} // namespace tutti::bench
