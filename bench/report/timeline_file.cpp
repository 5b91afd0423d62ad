#include "report/results_file.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace tutti::bench {

namespace {

using nlohmann::json;
using trace::Lane;
using trace::Span;
using trace::SpanKind;
using trace::Timeline;

SpanKind kind_named(const std::string& name) {
    const auto found = std::ranges::find(trace::kind_names, name);
    if (found == trace::kind_names.end()) {
        throw std::invalid_argument(
            fmt::format("its kind \"{}\" is none of {}", name, fmt::join(trace::kind_names, ", ")));
    }
    return static_cast<SpanKind>(found - trace::kind_names.begin());
}

/// A number that is not negative.
template <class Integer>
Integer count_at(const json& line, const char* key) {
    const json& value = line.at(key);
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())) {
        throw std::invalid_argument(fmt::format("its {} is no such number", key));
    }
    return value.get<Integer>();
}

std::int64_t ns_at(const json& line, const char* key) {
    const json& value = line.at(key);
    if (!value.is_number_integer()) {
        throw std::invalid_argument(fmt::format("its {} is no such number", key));
    }
    return value.get<std::int64_t>();
}

Span span_of(const json& line) {
    Span span{.begin_ns = ns_at(line, "begin_ns"),
              .end_ns = ns_at(line, "end_ns"),
              .kind = kind_named(line.at("kind").get<std::string>()),
              .name = line.at("name").get<std::string>(),
              .peer = line.at("peer").is_null() ? -1 : count_at<int>(line, "peer"),
              .bytes = count_at<std::uint64_t>(line, "bytes"),
              .number = count_at<std::uint64_t>(line, "number")};
    if (span.end_ns < span.begin_ns) {
        throw std::invalid_argument("it ends before it begins");
    }
    return span;
}

template <class Parts, class Key, class Project>
auto& found_or_added(Parts& parts, const Key& key, Project project) {
    const auto found = std::ranges::find(parts, key, project);
    if (found != parts.end()) {
        return *found;
    }
    parts.emplace_back();
    parts.back().*project = key;
    return parts.back();
}

void add(std::vector<Timeline>& timelines, const json& line) {
    if (!line.is_object()) {
        throw std::invalid_argument("it is no object of JSON");
    }
    const Span span = span_of(line);
    const int thread = count_at<int>(line, "thread");
    Timeline& timeline = found_or_added(timelines, line.at("group").get<std::string>(), &Timeline::name);
    Lane& lane = found_or_added(timeline.lanes, count_at<int>(line, "rank"), &Lane::rank);
    lane.thread = thread;
    (is_in_flight(span.kind) ? lane.flights : lane.spans).push_back(span);
}

} // namespace

std::vector<Timeline> parse_timelines(const std::string& text) {
    std::vector<Timeline> timelines;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        try {
            add(timelines, json::parse(line, nullptr, false));
        } catch (const json::exception&) {
            throw std::invalid_argument(fmt::format(
                "line {}: a key of a span is missing, or what it has is of another type", number));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(fmt::format("line {}: {}", number, error.what()));
        }
    }
    if (timelines.empty()) {
        throw std::invalid_argument("there is no span in it");
    }
    for (Timeline& timeline : timelines) {
        std::ranges::sort(timeline.lanes, {}, &Lane::rank);
        for (Lane& lane : timeline.lanes) {
            std::ranges::stable_sort(lane.flights, {}, &Span::begin_ns);
        }
    }
    return timelines;
}

std::vector<Timeline> read_timelines(const std::string& path) {
    const std::string text = file_text(path, "TUTTI_TRACE has written");
    try {
        return parse_timelines(text);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("{}: {}", path, error.what()));
    }
}

} // namespace tutti::bench
