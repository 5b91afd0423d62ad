#pragma once

#include "measure/problem.hpp"
#include "measure/statistics.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::bench {

/// The measurement of one problem solved by one provider.
struct Point {
    std::string provider;
    /// As requested; "auto" if the provider chose.
    std::string algorithm = "auto";
    /// The choice of the library; empty if it made none, or if it is unknown.
    std::string chosen = {};
    Problem problem = {};
    /// The times of single runs whose inputs were rewritten before, in microseconds.
    Summary time_us;
    /// Up to most_samples of these runs, evenly spaced, in the order in which they were made.
    std::vector<double> samples_us = {};
    /// Median time of the same loads and stores without any synchronisation.
    std::optional<double> floor_us;
    /// Median time per call of many calls back to back; for small messages.
    std::optional<double> loop_us;
    /// Median time of one bare exchange of flags between two threads, back to back.
    std::optional<double> exchange_us;
    /// Elements of results that were wrong, of all members and checked runs.
    std::size_t wrong = 0;
};

/// As many as a test between two runs can make use of; more would only make files large.
inline constexpr std::size_t most_samples = 256;

/// The points of several rounds: those of one problem and one provider's algorithm made one, in order of
/// first appearance. Their samples are put together, each round with as many as the others where it has them;
/// the floor is the median round's, the loop and the exchange beside it those of the round with the median
/// loop.
std::vector<Point> pooled(std::span<const Point> rounds);

/// One entry of `points` in the JSON file: provider, collective, algorithm, chosen, members, bytes, type, op,
/// in_place, shared, median_us, ci95_us, p99_us, max_us, floor_us, loop_us, exchange_us, wrong, repetitions,
/// samples_us. Values that were not measured are null.
nlohmann::json to_json(const Point& point);

/// The same as text, in one line.
std::string line_of(const Point& point);

/// The reverse of to_json(). Throws nlohmann::json::exception or std::invalid_argument when it is no such
/// entry.
Point point_from_json(const nlohmann::json& json);

} // namespace tutti::bench
