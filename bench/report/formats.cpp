#include "report/formats.hpp"

#include "measure/statistics.hpp"

#include <tutti/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

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

namespace {

/// The names of types in nccl-tests.
std::string_view nccl_name(Type type) {
    switch (type) {
    case Type::i8:
        return "int8";
    case Type::u8:
        return "uint8";
    case Type::i16:
        return "int16";
    case Type::u16:
        return "uint16";
    case Type::i32:
        return "int32";
    case Type::u32:
        return "uint32";
    case Type::i64:
        return "int64";
    case Type::u64:
        return "uint64";
    case Type::f32:
        return "float";
    case Type::f64:
        return "double";
    default:
        return to_string(type);
    }
}

/// With two digits after the point where the column is wide enough, else with fewer.
std::string in_column(double value, std::size_t width) {
    for (const int digits : {2, 1, 0}) {
        std::string text = fmt::format("{:.{}f}", value, digits);
        if (text.size() <= width) {
            return text;
        }
    }
    return fmt::format("{:.0e}", value);
}

/// Time, both bandwidths and what was wrong.
std::string half_line(const Point* point, bool checked) {
    if (point == nullptr) {
        return fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", "N/A", "N/A", "N/A", "N/A");
    }
    constexpr std::size_t time_width = 7;
    constexpr std::size_t bandwidth_width = 6;
    const double us = point->time_us.median;
    return fmt::format("  {:>7}  {:>6}  {:>6}  {:>6}", in_column(us, time_width),
                       in_column(algorithm_bandwidth(point->problem, us).value_or(0), bandwidth_width),
                       in_column(bus_bandwidth(point->problem, us).value_or(0), bandwidth_width),
                       checked ? fmt::format("{}", point->wrong) : "N/A");
}

/// The problem of a line, whether in place or not.
Problem separate(Problem problem) {
    problem.in_place = false;
    return problem;
}

/// Whether both are lines of one table.
bool is_same_run(const Point& one, const Point& other) {
    return one.provider == other.provider && one.algorithm == other.algorithm &&
           one.problem.collective == other.problem.collective && one.problem.members == other.problem.members;
}

std::string line_text(std::span<const Point* const> run, const Problem& problem, bool checked) {
    const auto measured = [&](bool in_place) -> const Point* {
        const auto found = std::ranges::find_if(run, [&](const Point* point) {
            // One vector is both.
            const bool is_asked_for =
                point->problem.in_place == in_place || problem.collective == Collective::broadcast;
            return is_asked_for && separate(point->problem) == problem;
        });
        return found == run.end() ? nullptr : *found;
    };
    const std::size_t count = problem.has_blocks() ? problem.block_elements() : problem.elements;
    return fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}{}{}\n", problem.bytes(), count,
                       nccl_name(problem.type), problem.reduces() ? to_string(problem.op) : "none",
                       detail::traits_of(problem.collective).is_rooted() ? Problem::root : -1,
                       half_line(measured(false), checked), half_line(measured(true), checked));
}

std::string run_text(std::span<const Point* const> run, bool checked) {
    constexpr const char* heading =
        "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}\n";
    const Point& first = *run.front();
    std::string text = fmt::format("# tutti {}: {}, {} members, {} ({})\n#\n", TUTTI_VERSION_STRING,
                                   to_string(first.problem.collective), first.problem.members, first.provider,
                                   first.algorithm);
    text += fmt::format(
        "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}           out-of-place                       in-place\n", "",
        "", "", "", "");
    text += fmt::format(heading, "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong",
                        "time", "algbw", "busbw", "#wrong");
    text += fmt::format(heading, "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)",
                        "(GB/s)", "(GB/s)", "");
    std::size_t wrong = 0;
    double sum = 0;
    std::vector<Problem> problems;
    for (const Point* point : run) {
        wrong += point->wrong;
        sum += bus_bandwidth(point->problem, point->time_us.median).value_or(0);
        const Problem problem = separate(point->problem);
        if (std::ranges::find(problems, problem) == problems.end()) {
            problems.push_back(problem);
            text += line_text(run, problem, checked);
        }
    }
    return text + fmt::format("# Out of bounds values : {} {}\n# Avg bus bandwidth    : {:g}\n#\n", wrong,
                              wrong == 0 ? "OK" : "FAILED", sum / static_cast<double>(run.size()));
}

} // namespace

std::string nccl_text(std::span<const Point> points, bool checked) {
    std::string text;
    std::vector<const Point*> done;
    for (const Point& first : points) {
        if (std::ranges::any_of(done, [&](const Point* other) { return is_same_run(*other, first); })) {
            continue;
        }
        std::vector<const Point*> run;
        for (const Point& point : points) {
            if (is_same_run(point, first)) {
                run.push_back(&point);
            }
        }
        text += run_text(run, checked);
        done.push_back(&first);
    }
    return text;
}

} // namespace tutti::bench
