#include "report/benchmark_format.hpp"

#include "measure/bandwidth.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>

namespace tutti::bench {

namespace {

using Json = nlohmann::ordered_json;

/// The unique name of a point: "allreduce/f64/sum/bytes:1024/members:4/tutti/auto".
std::string name_of(const Point& point) {
    const Problem& problem = point.problem;
    return fmt::format("{}/{}{}{}/bytes:{}/members:{}/{}/{}", to_string(problem.collective),
                       to_string(problem.type),
                       problem.reduces() ? fmt::format("/{}", to_string(problem.op)) : "",
                       problem.in_place ? "/in_place"
                       : problem.shared ? "/shared"
                                        : "",
                       problem.bytes(), problem.members, point.provider, point.algorithm);
}

/// The common part of all entries of a point.
Json entry(const Point& point, std::size_t family, double us) {
    constexpr double ns_per_us = 1e3;
    Json json = {{"name", name_of(point)},
                 {"family_index", family},
                 {"per_family_instance_index", 0},
                 {"run_name", name_of(point)},
                 {"run_type", "iteration"},
                 {"repetitions", point.samples_us.size()},
                 {"threads", point.problem.members},
                 {"iterations", 1},
                 {"real_time", ns_per_us * us},
                 {"cpu_time", ns_per_us * us},
                 {"time_unit", "ns"}};
    if (const auto gb_per_s = algorithm_bandwidth(point.problem, us)) {
        constexpr double bytes_per_gb = 1e9;
        json["bytes_per_second"] = *gb_per_s * bytes_per_gb;
    }
    return json;
}

Json context(const Environment& environment, const std::string& date) {
    return {{"date", date},
            {"executable", "tutti bench"},
            {"num_cpus", environment.machine.pus.size()},
            {"tutti", Json::parse(to_json(environment).dump())}};
}

} // namespace

std::string benchmark_text(const Environment& environment, std::span<const Point> points,
                           const std::string& date) {
    Json benchmarks = Json::array();
    for (std::size_t family = 0; family < points.size(); ++family) {
        const Point& point = points[family];
        for (std::size_t repetition = 0; repetition < point.samples_us.size(); ++repetition) {
            Json json = entry(point, family, point.samples_us[repetition]);
            json["repetition_index"] = repetition;
            benchmarks.push_back(std::move(json));
        }
        Json median = entry(point, family, point.time_us.median);
        median["name"] = name_of(point) + "_median";
        median["run_type"] = "aggregate";
        median["aggregate_name"] = "median";
        median["aggregate_unit"] = "time";
        median["iterations"] = point.samples_us.size();
        benchmarks.push_back(std::move(median));
    }
    return Json{{"context", context(environment, date)}, {"benchmarks", benchmarks}}.dump(1) + "\n";
}

} // namespace tutti::bench
