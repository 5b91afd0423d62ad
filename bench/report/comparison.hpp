#pragma once

#include "measure/point.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::bench {

/// How far one provider is ahead of another over a whole run.
struct Comparison {
    /// Geometric mean of baseline time / own time, and the number of points it was taken over: those that are
    /// stable on both sides.
    double mean_speedup = 0;
    std::size_t points = 0;
    /// The others.
    std::size_t unstable = 0;
    /// The same mean with the floor's time wherever one was measured: more than any library can reach, since
    /// the floor does not synchronise.
    double mean_at_floor = 0;
    /// The points where the baseline is faster as judge() has it, of all.
    std::vector<const Point*> lost;
    /// The points where both were measured back to back, and those of them where the baseline's median is
    /// less by as much as judge() requires: there are no samples for its test.
    std::size_t loops = 0;
    std::vector<const Point*> lost_loops;

    std::size_t all() const { return points + unstable; }
};

/// "allreduce 64 MiB, 8 members"; of a barrier "barrier, 8 members".
std::string name_of(const Problem& problem);

/// The baseline's point for the same problem, or nothing.
const Point* find_point(std::span<const Point> points, const Problem& problem);

/// The providers of these points, in the order of their first ones.
std::vector<std::string> providers_of(std::span<const Point> points);

/// Whether it is Tutti, called in another way than by calls that block.
bool is_way_of_calling(const std::string& provider);

/// The points of one provider.
std::vector<Point> points_of(std::span<const Point> points, const std::string& provider);

/// The faster one for each problem that both have, as points of provider `name`.
std::vector<Point> better_of(std::span<const Point> left, std::span<const Point> right,
                             const std::string& name);

/// Compares the points with the library's own choice of algorithm with those of the baseline.
Comparison compare(std::span<const Point> own, std::span<const Point> baseline);

/// time / floor; nothing if there is no floor or it is not above the clock's resolution.
std::optional<double> floor_ratio(const Point& point);

/// From so many bytes on, memory is what limits.
inline constexpr std::size_t large_bytes = std::size_t{16} << 20U;

/// The point, with the library's own choice of algorithm and at least `least_bytes`, that is the furthest
/// above its floor.
const Point* worst_floor_ratio(std::span<const Point> points, std::size_t least_bytes);

/// loop / exchange; nothing unless both were measured.
std::optional<double> exchange_ratio(const Point& point);

} // namespace tutti::bench
