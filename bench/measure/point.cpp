#include "measure/point.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace tutti::bench {

namespace {

nlohmann::json or_null(const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

std::optional<double> number_or_nothing(const nlohmann::json& json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

bool is_same(const Point& a, const Point& b) {
    return a.provider == b.provider && a.algorithm == b.algorithm && a.problem == b.problem;
}

/// The middle one of the points for which `of` is there, the lower one of two; null when it is nowhere.
const Point* median_by(std::span<const Point* const> points, std::optional<double> Point::*of) {
    std::vector<const Point*> there;
    std::ranges::copy_if(points, std::back_inserter(there),
                         [&](const Point* point) { return (point->*of).has_value(); });
    std::ranges::sort(there, {}, [&](const Point* point) { return *(point->*of); });
    return there.empty() ? nullptr : there[(there.size() - 1) / 2];
}

Point pooled_one(std::span<const Point* const> rounds) {
    Point result = *rounds.front();
    result.wrong = 0;
    result.samples_us.clear();
    std::size_t count = 0;
    double longest_us = 0;
    for (const Point* round : rounds) {
        result.samples_us.insert(result.samples_us.end(), round->samples_us.begin(), round->samples_us.end());
        result.wrong += round->wrong;
        count += round->time_us.count;
        longest_us = std::max(longest_us, round->time_us.max);
    }
    result.time_us = summarise(result.samples_us);
    result.time_us.count = count;
    result.time_us.max = longest_us;
    result.samples_us = thinned(result.samples_us, most_samples);
    if (const Point* const round = median_by(rounds, &Point::floor_us)) {
        result.floor_us = round->floor_us;
    }
    if (const Point* const round = median_by(rounds, &Point::loop_us)) {
        result.loop_us = round->loop_us;
        result.exchange_us = round->exchange_us;
    }
    return result;
}

} // namespace

std::vector<Point> pooled(std::span<const Point> rounds) {
    std::vector<Point> result;
    for (const Point& point : rounds) {
        if (std::ranges::any_of(result, [&](const Point& other) { return is_same(point, other); })) {
            continue;
        }
        std::vector<const Point*> same;
        for (const Point& other : rounds) {
            if (is_same(point, other)) {
                same.push_back(&other);
            }
        }
        result.push_back(pooled_one(same));
    }
    return result;
}

nlohmann::json to_json(const Problem& problem) {
    return {{"collective", to_string(problem.collective)},
            {"members", problem.members},
            {"bytes", problem.bytes()},
            {"type", to_string(problem.type)},
            {"op", to_string(problem.op)},
            {"in_place", problem.in_place},
            {"shared", problem.shared}};
}

Problem problem_from_json(const nlohmann::json& json) {
    Problem problem;
    problem.collective = parse_collective(json.at("collective").get<std::string>());
    problem.type = parse_type(json.at("type").get<std::string>());
    problem.op = parse_operator(json.at("op").get<std::string>());
    problem.members = json.at("members").get<int>();
    problem.elements = json.at("bytes").get<std::size_t>() / problem.element_bytes();
    problem.in_place = json.at("in_place").get<bool>();
    problem.shared = json.value("shared", false); // older files have none
    return problem;
}

nlohmann::json to_json(const Point& point) {
    nlohmann::json json = to_json(point.problem);
    json.update({{"provider", point.provider},
                 {"algorithm", point.algorithm},
                 {"chosen", point.chosen},
                 {"median_us", point.time_us.median},
                 {"ci95_us", {point.time_us.ci95.first, point.time_us.ci95.second}},
                 {"p99_us", point.time_us.p99},
                 {"max_us", point.time_us.max},
                 {"floor_us", or_null(point.floor_us)},
                 {"loop_us", or_null(point.loop_us)},
                 {"exchange_us", or_null(point.exchange_us)},
                 {"wrong", point.wrong},
                 {"repetitions", point.time_us.count},
                 {"samples_us", point.samples_us}});
    return json;
}

std::string line_of(const Point& point) {
    return to_json(point).dump();
}

Point point_from_json(const nlohmann::json& json) {
    Point point;
    point.provider = json.at("provider").get<std::string>();
    point.algorithm = json.at("algorithm").get<std::string>();
    point.chosen = json.value("chosen", ""); // older files have none
    point.problem = problem_from_json(json);
    point.time_us = {.median = json.at("median_us").get<double>(),
                     .ci95 = json.at("ci95_us").get<std::pair<double, double>>(),
                     .p99 = json.at("p99_us").get<double>(),
                     .max = json.at("max_us").get<double>(),
                     .count = json.at("repetitions").get<std::size_t>()};
    point.floor_us = number_or_nothing(json.at("floor_us"));
    point.loop_us = number_or_nothing(json.at("loop_us"));
    point.exchange_us = number_or_nothing(json.at("exchange_us"));
    point.samples_us = json.at("samples_us").get<std::vector<double>>();
    point.wrong = json.at("wrong").get<std::size_t>();
    return point;
}

} // namespace tutti::bench
