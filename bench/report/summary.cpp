#include "measure/statistics.hpp"
#include "report/bench_report.hpp"
#include "report/comparison.hpp"
#include "terminal/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tutti::bench {

namespace {

std::vector<int> members_of(std::span<const Point> points) {
    return different(points, [](const Point& point) { return point.problem.members; });
}

std::vector<std::string> rivals_of(std::span<const Point> baselines) {
    std::vector<std::string> rivals = providers_of(baselines);
    std::erase_if(rivals, is_way_of_calling);
    return rivals;
}

/// "2 members 2.41x as fast as openmpi, 1.30x openmp in single calls; 4 members ...".
std::string speed_text(std::span<const Point> points, std::span<const Point> baselines) {
    std::vector<std::string> parts;
    for (const int members : members_of(points)) {
        std::vector<std::string> means;
        for (const std::string& rival : rivals_of(baselines)) {
            const Comparison comparison = compare(of_members(points, members), points_of(baselines, rival));
            if (comparison.points > 0) {
                means.push_back(fmt::format("{:.2f}x{} {}", comparison.mean_speedup,
                                            means.empty() ? " as fast as" : "", rival));
            }
        }
        if (!means.empty()) {
            parts.push_back(fmt::format("{} members {} in single calls", members, fmt::join(means, ", ")));
        }
    }
    return parts.empty() ? "no baseline was measured" : fmt::format("{}", fmt::join(parts, "; "));
}

/// Of the least members: if there are more than CPUs, turns decide, and not loads and stores.
std::string floor_text(std::span<const Point> points) {
    std::string text = "no bare exchange was measured";
    const std::vector<int> members = members_of(points);
    const std::vector<Point> few = of_members(points, members.empty() ? 0 : std::ranges::min(members));
    const auto tiny =
        std::ranges::find_if(few, [](const Point& point) { return exchange_ratio(point).has_value(); });
    if (tiny != few.end()) {
        text = fmt::format("{}, back to back, takes {:.2f}x of a bare exchange of flags",
                           name_of(tiny->problem), *exchange_ratio(*tiny));
    }
    if (const Point* const worst = worst_floor_ratio(few, least_copied_bytes)) {
        text += fmt::format("; from {} on at most {:.2f}x of the same loads and stores ({})",
                            format_bytes(least_copied_bytes), *floor_ratio(*worst), name_of(worst->problem));
    }
    return text;
}

std::string slower_text(std::span<const Point> points, std::span<const Point> baselines) {
    std::vector<std::string> slower;
    std::size_t all = 0;
    for (const std::string& rival : rivals_of(baselines)) {
        const std::vector<Point> others = points_of(baselines, rival);
        const Comparison comparison = compare(points, others);
        all += comparison.points + comparison.loops;
        for (const Point* const point : comparison.lost) {
            slower.push_back(
                fmt::format("{} beside {} {:.2f}x", name_of(point->problem), rival,
                            find_point(others, point->problem)->time_us.median / point->time_us.median));
        }
        for (const Point* const point : comparison.lost_loops) {
            slower.push_back(fmt::format("{} back to back beside {} {:.2f}x", name_of(point->problem), rival,
                                         *find_point(others, point->problem)->loop_us / *point->loop_us));
        }
    }
    constexpr std::size_t listed = 6;
    const std::size_t shown = std::min(listed, slower.size());
    return fmt::format("at {} of {}{}{}{}", slower.size(), counted(all, "comparison"), shown == 0 ? "" : ": ",
                       fmt::join(std::span(slower).first(shown), ", "),
                       slower.size() > shown ? fmt::format(" and {} more", slower.size() - shown) : "");
}

} // namespace

std::string summary_text(std::span<const Point> points, std::span<const Point> baselines, std::size_t width) {
    std::size_t wrong = 0;
    std::size_t unstable = 0;
    for (const Point& point : points) {
        wrong += point.wrong;
    }
    for (const std::span<const Point> some : {points, baselines}) {
        for (const Point& point : some) {
            unstable += is_unstable(point.time_us) ? 1U : 0U;
        }
    }
    return wrapped(fmt::format("wrong elements: {}; unstable points (~): {} of {}\n"
                               "speed:  {}\nfloor:  {}\nslower: {}\n",
                               wrong, unstable, points.size() + baselines.size(),
                               speed_text(points, baselines), floor_text(points),
                               slower_text(points, baselines)),
                   width);
}

} // namespace tutti::bench
