#include "report/comparison.hpp"

#include "report/regression.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tutti::bench {

namespace {

bool is_default(const Point& point) {
    return point.algorithm == "auto";
}

} // namespace

std::string name_of(const Problem& problem) {
    return fmt::format("{}{}, {} members{}", to_string(problem.collective),
                       problem.elements == 0 ? "" : " " + format_bytes(problem.bytes()), problem.members,
                       problem.in_place ? ", in place" : "");
}

const Point* find_point(std::span<const Point> points, const Problem& problem) {
    for (const Point& point : points) {
        if (point.problem == problem) {
            return &point;
        }
    }
    return nullptr;
}

std::vector<std::string> providers_of(std::span<const Point> points) {
    std::vector<std::string> providers;
    for (const Point& point : points) {
        if (std::ranges::find(providers, point.provider) == providers.end()) {
            providers.push_back(point.provider);
        }
    }
    return providers;
}

bool is_way_of_calling(const std::string& provider) {
    return provider.starts_with("tutti_");
}

std::vector<Point> points_of(std::span<const Point> points, const std::string& provider) {
    std::vector<Point> own;
    std::ranges::copy_if(points, std::back_inserter(own),
                         [&](const Point& point) { return point.provider == provider; });
    return own;
}

std::vector<Point> better_of(std::span<const Point> left, std::span<const Point> right,
                             const std::string& name) {
    std::vector<Point> better;
    for (const Point& point : left) {
        if (const Point* const other = find_point(right, point.problem)) {
            better.push_back(other->time_us.median < point.time_us.median ? *other : point);
            better.back().provider = name;
        }
    }
    return better;
}

Comparison compare(std::span<const Point> own, std::span<const Point> baseline) {
    const Threshold threshold;
    Comparison result;
    double log_sum = 0;
    double log_sum_at_floor = 0;
    for (const Point& point : own) {
        const Point* const other = find_point(baseline, point.problem);
        if (!is_default(point) || other == nullptr) {
            continue;
        }
        if (judge(*other, point, threshold).change == Change::slower) {
            result.lost.push_back(&point);
        }
        if (point.loop_us && other->loop_us) {
            ++result.loops;
            if (*point.loop_us >= *other->loop_us * (1 + threshold.effect)) {
                result.lost_loops.push_back(&point);
            }
        }
        if (is_unstable(point.time_us) || is_unstable(other->time_us)) {
            ++result.unstable;
            continue;
        }
        const double speedup = other->time_us.median / point.time_us.median;
        log_sum += std::log(speedup);
        log_sum_at_floor += std::log(speedup * std::max(floor_ratio(point).value_or(1), 1.0));
        ++result.points;
    }
    if (result.points > 0) {
        result.mean_speedup = std::exp(log_sum / static_cast<double>(result.points));
        result.mean_at_floor = std::exp(log_sum_at_floor / static_cast<double>(result.points));
    }
    return result;
}

std::optional<double> floor_ratio(const Point& point) {
    if (!point.floor_us || *point.floor_us <= 0) {
        return std::nullopt;
    }
    return point.time_us.median / *point.floor_us;
}

const Point* worst_floor_ratio(std::span<const Point> points, std::size_t least_bytes) {
    const Point* worst = nullptr;
    for (const Point& point : points) {
        const bool counts = is_default(point) && point.problem.bytes() >= least_bytes && floor_ratio(point);
        if (counts && (worst == nullptr || *floor_ratio(point) > *floor_ratio(*worst))) {
            worst = &point;
        }
    }
    return worst;
}

std::optional<double> exchange_ratio(const Point& point) {
    if (!point.loop_us || !point.exchange_us) {
        return std::nullopt;
    }
    return *point.loop_us / *point.exchange_us;
}

} // namespace tutti::bench
