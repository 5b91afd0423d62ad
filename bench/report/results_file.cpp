#include "report/results_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace tutti::bench {

std::string file_text(const std::string& path, const std::string& writer) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw std::invalid_argument(path + " is not there");
    }
    if (std::filesystem::is_directory(path, error)) {
        throw std::invalid_argument(path + " is a folder, and no file that " + writer);
    }
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file) {
        throw std::invalid_argument("cannot read " + path);
    }
    return text;
}

namespace {

/// Rejects values that a damaged file could hold and a measurement cannot.
void check_times(const Point& point) {
    const auto is_time = [](double us) { return std::isfinite(us) && us >= 0; };
    bool right = is_time(point.time_us.median) && point.problem.members > 0 && !point.samples_us.empty();
    for (const double sample_us : point.samples_us) {
        right = right && is_time(sample_us);
    }
    if (!right) {
        throw std::invalid_argument("median_us, samples_us or members cannot be");
    }
}

} // namespace

std::string text_of(const nlohmann::json& environment) {
    return environment.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_text(const nlohmann::json& environment, std::span<const Point> points, bool is_complete) {
    std::string text =
        fmt::format("{{\"schema\": \"{}\",\n\"complete\": {},\n\"environment\": {},\n\"points\": [",
                    json_schema, is_complete, text_of(environment));
    // A point a line: with one a number, the samples would be most lines.
    const char* separator = "\n";
    for (const Point& point : points) {
        text += separator + line_of(point);
        separator = ",\n";
    }
    return text + "\n]}\n";
}

Results read_json(const std::string& path) {
    const nlohmann::json whole =
        nlohmann::json::parse(file_text(path, "`tutti bench --json` wrote"), nullptr, false);
    if (whole.is_discarded()) {
        throw std::invalid_argument(path + " is no JSON, or cut off");
    }
    const bool has_schema = whole.is_object() && whole.contains("schema") && whole["schema"].is_string();
    if (!has_schema || !whole.contains("points") || !whole["points"].is_array()) {
        throw std::invalid_argument(path + " is no file that `tutti bench --json` wrote");
    }
    if (whole["schema"] != json_schema) {
        throw std::invalid_argument(fmt::format(R"({} has schema "{}", this tutti reads "{}": measure again)",
                                                path, whole["schema"].get<std::string>(), json_schema));
    }
    Results results;
    results.is_complete = whole.value("complete", true);
    const nlohmann::json environment = whole.value("environment", nlohmann::json::object());
    results.environment = text_of(environment);
    results.circumstances = circumstances(environment);
    std::vector<Point>& points = results.points;
    for (const nlohmann::json& entry : whole["points"]) {
        try {
            Point point = point_from_json(entry);
            check_times(point);
            points.push_back(std::move(point));
        } catch (const std::exception& error) {
            throw std::invalid_argument(
                fmt::format("{}: entry {} of \"points\" is damaged: {}", path, points.size(), error.what()));
        }
    }
    return results;
}

} // namespace tutti::bench
