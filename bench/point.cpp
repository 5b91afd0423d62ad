#include "point.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::bench {

namespace {

nlohmann::json or_null(const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

std::optional<double> number_or_nothing(const nlohmann::json& json) {
    return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

std::string or_empty(const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : "";
}

} // namespace

nlohmann::json to_json(const Point& point) {
    const Work& work = point.work;
    return {{"provider", point.provider},
            {"collective", to_string(work.collective)},
            {"algorithm", point.algorithm},
            {"members", work.members},
            {"bytes", work.bytes()},
            {"type", to_string(work.type)},
            {"op", to_string(work.op)},
            {"in_place", work.in_place},
            {"median_us", point.time_us.median},
            {"ci95_us", {point.time_us.ci95.first, point.time_us.ci95.second}},
            {"p99_us", point.time_us.p99},
            {"max_us", point.time_us.max},
            {"floor_us", or_null(point.floor_us)},
            {"loop_us", or_null(point.loop_us)},
            {"exchange_us", or_null(point.exchange_us)},
            {"wrong", point.wrong},
            {"repetitions", point.time_us.count},
            {"samples_us", point.samples_us}};
}

Point point_from_json(const nlohmann::json& json) {
    Point point;
    point.provider = json.at("provider").get<std::string>();
    point.algorithm = json.at("algorithm").get<std::string>();
    point.work.collective = parse_collective(json.at("collective").get<std::string>());
    point.work.type = parse_type(json.at("type").get<std::string>());
    point.work.op = parse_operator(json.at("op").get<std::string>());
    point.work.members = json.at("members").get<int>();
    point.work.elements = json.at("bytes").get<std::size_t>() / point.work.element_bytes();
    point.work.in_place = json.at("in_place").get<bool>();
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

std::string csv_header() {
    return "provider,collective,algorithm,members,bytes,type,op,in_place,median_us,ci95_low_us,ci95_high_us,"
           "p99_us,"
           "max_us,floor_us,loop_us,exchange_us,wrong,repetitions";
}

std::string to_csv(const Point& point) {
    const Work& work = point.work;
    return fmt::format(
        "{},{},{},{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{},{},{},{},{}", point.provider,
        to_string(work.collective), point.algorithm, work.members, work.bytes(), to_string(work.type),
        to_string(work.op), work.in_place ? 1 : 0, point.time_us.median, point.time_us.ci95.first,
        point.time_us.ci95.second, point.time_us.p99, point.time_us.max, or_empty(point.floor_us),
        or_empty(point.loop_us), or_empty(point.exchange_us), point.wrong, point.time_us.count);
}

} // namespace tutti::bench
