#pragma once

#include "measure/point.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::bench {

/// When two measurements of the same thing differ: the medians by a factor of at least 1 + effect, and the
/// samples by the Mann-Whitney test at `significance`.
struct Threshold {
    double effect = 0.1;
    double significance = 0.001;
};

enum class Change : std::uint8_t { same, faster, slower };

/// One problem measured twice.
struct Judgement {
    const Point* before = nullptr;
    const Point* after = nullptr;
    Change change = Change::same;
    double p_value = 1;
};

/// How `after` differs from `before`.
Judgement judge(const Point& before, const Point& after, const Threshold& threshold);

/// Judges every point of `before` that `after` has as well: same provider, algorithm and problem.
std::vector<Judgement> judge_all(std::span<const Point> before, std::span<const Point> after,
                                 const Threshold& threshold);

} // namespace tutti::bench
