#pragma once

#include "measure/point.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

/// For two files without a common point: "; the first ones are allreduce 8 B, 2 members of f64 with sum, by
/// auto of tutti | ..."; empty if one has no points.
std::string nothing_in_common(std::span<const Point> before, std::span<const Point> after);

/// Judges every point of `before` that `after` has as well: same provider, algorithm and problem.
std::vector<Judgement> judge_all(std::span<const Point> before, std::span<const Point> after,
                                 const Threshold& threshold);

/// How far one provider is ahead of another over a whole run.
struct Comparison {
    /// Geometric mean of baseline time / own time, and the number of points it was taken over: all, because a
    /// mean of stable points would be one of points that suit.
    double mean_speedup = 0;
    std::size_t points = 0;
    /// The points where the baseline is faster as judge() has it.
    std::vector<const Point*> lost;
    /// The points where both were measured back to back, and those of them where the baseline's median is
    /// less by as much as judge() requires: there are no samples for its test.
    std::size_t loops = 0;
    std::vector<const Point*> lost_loops;
};

/// "allreduce 64 MiB, 8 members"; of a barrier "barrier, 8 members".
std::string name_of(const Problem& problem);

/// The baseline's point for the same problem, or nothing.
const Point* find_point(std::span<const Point> points, const Problem& problem);

/// What the points have of it, each once, in the order of their first ones.
template <class Of>
auto different(std::span<const Point> points, Of of) {
    std::vector<decltype(of(points.front()))> found;
    for (const Point& point : points) {
        if (std::ranges::find(found, of(point)) == found.end()) {
            found.push_back(of(point));
        }
    }
    return found;
}

/// The providers of these points, in the order of their first ones.
std::vector<std::string> providers_of(std::span<const Point> points);

/// Whether it is Tutti, called in another way than by calls that block.
bool is_way_of_calling(const std::string& provider);

/// The points of one provider, and of one number of members.
std::vector<Point> points_of(std::span<const Point> points, const std::string& provider);
std::vector<Point> of_members(std::span<const Point> points, int members);

/// Compares the points with the library's own choice of algorithm with those of the baseline.
Comparison compare(std::span<const Point> own, std::span<const Point> baseline);

/// time / floor; nothing if there is no floor or it is not above the clock's resolution.
std::optional<double> floor_ratio(const Point& point);

/// From so many bytes on, memory is what limits.
inline constexpr std::size_t large_bytes = std::size_t{16} << 20U;

/// From so many bytes on, copies are what limits.
inline constexpr std::size_t least_copied_bytes = std::size_t{64} << 10U;

/// The point, with the library's own choice of algorithm and at least `least_bytes`, that is the furthest
/// above its floor.
const Point* worst_floor_ratio(std::span<const Point> points, std::size_t least_bytes);

/// loop / exchange; nothing unless both were measured.
std::optional<double> exchange_ratio(const Point& point);

} // namespace tutti::bench
