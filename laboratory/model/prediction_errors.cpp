#include "model/prediction_errors.hpp"

#include "measure/statistics.hpp"
#include "model/prediction_table.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <stdexcept>

namespace tutti::laboratory {

namespace {

/// Two measurements of one thing differ by as much.
constexpr double least_difference = 0.03;

/// Whether predict() has a time for a point.
bool is_comparable(const bench::Point& point) {
    return point.provider == "tutti" && point.algorithm != "auto" && !point.problem.shared &&
           (!point.problem.in_place || point.problem.collective == Collective::broadcast);
}

bool is_of(const bench::Point& point, std::string_view collective) {
    return collective == "all" || to_string(point.problem.collective) == collective;
}

[[noreturn]] void refuse(int members, std::string_view collective) {
    throw std::invalid_argument(
        fmt::format("of {}{} the file has no point by a named algorithm with separate "
                    "vectors; tutti bench -a all measures them",
                    collective == "all" ? "all collectives" : collective,
                    members == 0 ? "" : fmt::format(" among {} members", members)));
}

/// Those of one collective.
std::vector<PredictedPoint> points_of(const distance::MachineModel& profile,
                                      std::span<const bench::Point> measured, int members,
                                      Collective collective) {
    std::set<std::size_t> sizes;
    std::vector<const bench::Point*> of_it;
    for (const bench::Point& point : measured) {
        if (point.problem.collective == collective && point.problem.members == members &&
            is_comparable(point)) {
            of_it.push_back(&point);
            sizes.insert(point.problem.bytes());
        }
    }
    if (of_it.empty()) {
        return {};
    }
    const PredictionQuery query{.collective = collective,
                                .members = members,
                                .bytes = {sizes.begin(), sizes.end()},
                                .algorithms = {}};
    const std::vector<PredictedTimes> predicted = predict(profile, query);
    std::vector<PredictedPoint> points;
    for (const bench::Point* point : of_it) {
        const auto times = std::ranges::find(predicted, point->algorithm, &PredictedTimes::algorithm);
        const auto size =
            static_cast<std::size_t>(std::distance(sizes.begin(), sizes.find(point->problem.bytes())));
        if (times != predicted.end() && times->us[size] >= 0 && point->time_us.median > 0) {
            points.push_back({.collective = collective,
                              .algorithm = point->algorithm,
                              .bytes = point->problem.bytes(),
                              .predicted_us = times->us[size],
                              .measured_us = point->time_us.median,
                              .plan = times->plans[size]});
        }
    }
    return points;
}

int sign(double value) {
    return value > 0 ? 1 : (value < 0 ? -1 : 0);
}

} // namespace

double PredictedPoint::error() const {
    return std::max(predicted_us / measured_us, measured_us / predicted_us) - 1;
}

std::optional<double> OrderCount::tau() const {
    if (pairs == 0) {
        return std::nullopt;
    }
    return static_cast<double>(right_less_wrong) / static_cast<double>(pairs);
}

std::vector<PredictedPoint> predicted_points(const distance::MachineModel& profile,
                                             std::span<const bench::Point> measured, int members,
                                             std::string_view collective) {
    std::vector<PredictedPoint> all;
    for (const Collective each : detail::all_collectives) {
        if (collective == "all" || to_string(each) == collective) {
            std::ranges::move(points_of(profile, measured, members, each), std::back_inserter(all));
        }
    }
    if (all.empty()) {
        refuse(members, collective);
    }
    return all;
}

int most_members_comparable(std::span<const bench::Point> measured, std::string_view collective) {
    int most = 0;
    for (const bench::Point& point : measured) {
        if (is_of(point, collective) && is_comparable(point)) {
            most = std::max(most, point.problem.members);
        }
    }
    if (most == 0) {
        refuse(most, collective);
    }
    return most;
}

OrderCount count_order(std::span<const PredictedPoint> points) {
    OrderCount count;
    for (std::size_t one = 0; one < points.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            const PredictedPoint& a = points[one];
            const PredictedPoint& b = points[other];
            const double apart = std::abs(a.measured_us - b.measured_us);
            if (a.collective == b.collective && a.plan != b.plan &&
                apart > least_difference * std::max(a.measured_us, b.measured_us)) {
                ++count.pairs;
                count.right_less_wrong +=
                    sign(a.measured_us - b.measured_us) * sign(a.predicted_us - b.predicted_us);
            }
        }
    }
    return count;
}

double median_error(std::span<const PredictedPoint> points) {
    std::vector<double> errors;
    std::ranges::transform(points, std::back_inserter(errors), &PredictedPoint::error);
    return bench::summarise(std::move(errors)).median;
}

std::string prediction_errors(std::span<const PredictedPoint> points) {
    std::string text = fmt::format("{:<15} {:<34} {:>8} {:>12} {:>12} {:>7}\n", "collective", "algorithm",
                                   "bytes", "predicted", "measured", "error");
    std::set<std::size_t> sizes;
    for (const PredictedPoint& point : points) {
        sizes.insert(point.bytes);
        text += fmt::format("{:<15} {:<34} {:>8} {:>12} {:>12} {:>5.0f} %\n", to_string(point.collective),
                            point.algorithm, bench::format_bytes(point.bytes),
                            bench::format_us(point.predicted_us), bench::format_us(point.measured_us),
                            100 * point.error());
    }
    text +=
        fmt::format("\n{:>8} {:>7} {:>13} {:>6} {:>5}\n", "bytes", "points", "median error", "pairs", "tau");
    for (const std::size_t bytes : sizes) {
        std::vector<PredictedPoint> of_size;
        std::ranges::copy_if(points, std::back_inserter(of_size),
                             [&](const PredictedPoint& point) { return point.bytes == bytes; });
        const OrderCount order = count_order(of_size);
        const std::optional<double> tau = order.tau();
        text +=
            fmt::format("{:>8} {:>7} {:>11.0f} % {:>6} {:>5}\n", bench::format_bytes(bytes), of_size.size(),
                        100 * median_error(of_size), order.pairs, tau ? fmt::format("{:.2f}", *tau) : "-");
    }
    return text +
           fmt::format("{:>8} {:>7} {:>11.0f} %\n"
                       "us until the last member leaves, of medians; error: how many times the lesser the "
                       "greater is, less 1.\ntau: pairs of algorithms in the right order less those in the "
                       "wrong one, of all; none are those that do the same,\nor took the same but for 3 %\n",
                       "all", points.size(), 100 * median_error(points));
}

} // namespace tutti::laboratory
