#pragma once

#include "distance/line_profile.hpp"
#include "measure/point.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::laboratory {

/// The predicted and the measured time of an algorithm for a size.
struct PredictedPoint {
    Collective collective = Collective::allreduce;
    std::string algorithm;
    std::size_t bytes = 0;
    double predicted_us = 0;
    double measured_us = 0;
    /// Algorithms with the same number do the same: their members' plans are alike, except for the order of
    /// operands.
    std::uint64_t plan = 0;

    /// How many times the lesser of the two the greater is, less 1.
    double error() const;
};

/// How well an order is predicted: of the pairs of algorithms for one collective, those predicted in the
/// right order less those in the wrong one. Pairs that do the same are none, nor are those that took the same
/// except for 3 %.
struct OrderCount {
    long pairs = 0;
    long right_less_wrong = 0;

    /// Kendall's tau (Kendall, A new measure of rank correlation, 1938); nothing without pairs.
    std::optional<double> tau() const;
};

/// The most members among whom such points as predicted_points() takes were measured. Throws as that does
/// where there is none.
int most_members_comparable(std::span<const bench::Point> measured, std::string_view collective);

/// Those points that the library was measured at with so many members, with named algorithms and separate
/// vectors (of a broadcast the only ones), of the collective with that name or, for "all", of all. Throws
/// std::invalid_argument as predict() does, or where there is no such point.
std::vector<PredictedPoint> predicted_points(const distance::MachineModel& profile,
                                             std::span<const bench::Point> measured, int members,
                                             std::string_view collective);

/// The count for points of one size.
OrderCount count_order(std::span<const PredictedPoint> points);

/// 0 for no points.
double median_error(std::span<const PredictedPoint> points);

/// The table of `tutti model --measured`: a row a point, a line a size, and one for all.
std::string prediction_errors(std::span<const PredictedPoint> points);

} // namespace tutti::laboratory
