#pragma once

#include "measure/point.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// When two measurements of the same thing differ: the medians by a factor of at least 1 + effect, and the
/// samples by the Mann-Whitney test at `significance`: else they are the same, or not significant. The test
/// takes samples to be independent, but samples of one time are not. So the cause of a difference is unclear
/// if it is no larger than the drift of either measurement, or if it is smaller than the drift or the effect
/// in multiples of the floor (without a floor, of the bare exchange): then the machine's own loads and stores
/// have changed as much.
struct Threshold {
    double effect = 0.1;
    double significance = 0.001;
};

enum class Change : std::uint8_t { same, not_significant, unclear, faster, slower };

/// "same", "not significant", "unclear", "faster", "slower".
constexpr std::string_view to_string(Change change) {
    constexpr std::array<std::string_view, 5> names{"same", "not significant", "unclear", "faster", "slower"};
    return names[static_cast<std::size_t>(change)];
}

/// One problem measured twice.
struct Judgement {
    const Point* before = nullptr;
    const Point* after = nullptr;
    Change change = Change::same;
    double p_value = 1;
};

/// How many times as long as before what both have beside the collective takes: the floor, or else the bare
/// exchange; 1 where neither is in both.
double control_ratio(const Point& before, const Point& after);

/// How much a measurement differs from itself: its samples, in the order in which they were made, are cut
/// into 8 parts, and the largest median of a part is divided by the smallest. 1 for fewer than 16 samples.
double drift(std::span<const double> samples);

/// How `after` differs from `before`.
Judgement judge(const Point& before, const Point& after, const Threshold& threshold);

/// "1 of 3 points of Tutti is slower, 0 faster, 2 the same"; other changes where there are such. `whose` may
/// be empty.
std::string counts_text(std::span<const Judgement> judgements, const std::string& whose);

/// "types f64 | f32; members 2, 4 | 8": the sets of providers, collectives, types and so on that have nothing
/// in common, or where there is no such set those that differ.
std::string differences_text(std::span<const Point> before, std::span<const Point> after);

/// Judges every point of `before` that `after` has as well: same provider, algorithm and problem.
std::vector<Judgement> judge_all(std::span<const Point> before, std::span<const Point> after,
                                 const Threshold& threshold);

} // namespace tutti::bench
