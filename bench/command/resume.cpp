#include "command/resume.hpp"

#include "report/results_file.hpp"
#include "terminal/exit_codes.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tutti::bench {

std::string described(const BenchOptions& options) {
    std::string text;
    for (const Collective collective : options.collectives) {
        text += fmt::format("{} ", to_string(collective));
    }
    text += fmt::format("bytes={} members={} algorithms={}{} type={} op={}", fmt::join(options.bytes, ","),
                        fmt::join(options.members, ","), fmt::join(options.algorithms, ","),
                        options.all_algorithms ? ",all" : "", to_string(options.type), to_string(options.op));
    for (const bool in_place : options.in_place) {
        text += in_place ? " in-place" : " separate";
    }
    text += options.shared ? " shared" : "";
    for (const Calling& calling : options.callings) {
        text += " " + name_of(calling);
    }
    return text + fmt::format(" baselines={} rounds={} seconds={:.6g} repetitions={} check={}",
                              fmt::join(options.baselines, ","), options.rounds,
                              options.method.limits.seconds, options.method.limits.most,
                              options.method.check);
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
            throw std::invalid_argument(fmt::format(R"({} is of another command: it has "{}", this is "{}")",
                                                    path, results.asked, described(options)));
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
