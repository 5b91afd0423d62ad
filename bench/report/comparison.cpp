#include "report/comparison.hpp"

#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace tutti::bench {

namespace {

Change direction(double before, double after, double factor) {
    if (after >= before * factor) {
        return Change::slower;
    }
    return after * factor <= before ? Change::faster : Change::same;
}

/// All that a point is of.
std::string whole_name(const Point& point) {
    return fmt::format("{} of {} with {}{}, by {} of {}", name_of(point.problem),
                       to_string(point.problem.type), to_string(point.problem.op),
                       point.problem.shared ? ", shared" : "", point.algorithm, point.provider);
}

template <class Is>
std::vector<Point> those(std::span<const Point> points, Is is) {
    std::vector<Point> some;
    std::ranges::copy_if(points, std::back_inserter(some), is);
    return some;
}

bool is_default(const Point& point) {
    return point.algorithm == "auto";
}

} // namespace

double control_ratio(const Point& before, const Point& after) {
    for (const auto control : {&Point::floor_us, &Point::exchange_us}) {
        const std::optional<double>& old_us = before.*control;
        const std::optional<double>& new_us = after.*control;
        if (old_us && new_us && *old_us > 0 && *new_us > 0) {
            return *new_us / *old_us;
        }
    }
    return 1;
}

double drift(std::span<const double> samples) {
    constexpr std::size_t most_parts = 8;
    const std::size_t parts = std::min(samples.size() / 2, most_parts);
    if (parts < 2) {
        return 1;
    }
    std::vector<double> medians;
    medians.reserve(parts);
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t first = part * samples.size() / parts;
        const std::size_t end = (part + 1) * samples.size() / parts;
        medians.push_back(summarise({samples.begin() + static_cast<std::ptrdiff_t>(first),
                                     samples.begin() + static_cast<std::ptrdiff_t>(end)})
                              .median);
    }
    const auto [least, most] = std::ranges::minmax(medians);
    return least > 0 ? most / least : std::numeric_limits<double>::infinity();
}

Judgement judge(const Point& before, const Point& after, const Threshold& threshold) {
    Judgement judgement{.before = &before, .after = &after};
    judgement.p_value = mann_whitney(before.samples_us, after.samples_us);
    const double old_us = before.time_us.median;
    const double new_us = after.time_us.median;
    const double effect = 1 + threshold.effect;
    judgement.change = direction(old_us, new_us, effect);
    if (judgement.change == Change::same) {
        return judgement;
    }
    if (judgement.p_value >= threshold.significance) {
        judgement.change = Change::not_significant;
        return judgement;
    }
    const double noise = std::max({effect, drift(before.samples_us), drift(after.samples_us)});
    for (const double expected_us : {old_us, old_us * control_ratio(before, after)}) {
        if (judgement.change != direction(expected_us, new_us, noise)) {
            judgement.change = Change::unclear;
        }
    }
    return judgement;
}

std::string counts_text(std::span<const Judgement> judgements, const std::string& whose) {
    const auto count = [&](Change change) {
        return std::ranges::count(judgements, change, &Judgement::change);
    };
    std::string text = fmt::format("{} of {}{} {} slower, {} faster", count(Change::slower),
                                   counted(judgements.size(), "point"), whose.empty() ? "" : " of " + whose,
                                   count(Change::slower) == 1 ? "is" : "are", count(Change::faster));
    for (const Change change : {Change::unclear, Change::not_significant, Change::same}) {
        if (count(change) > 0) {
            text += fmt::format(", {} {}{}", count(change), change == Change::same ? "the " : "",
                                to_string(change));
        }
    }
    return text;
}

std::string nothing_in_common(std::span<const Point> before, std::span<const Point> after) {
    return before.empty() || after.empty()
               ? ""
               : fmt::format("; the first ones are {} | {}", whole_name(before.front()),
                             whole_name(after.front()));
}

std::vector<Judgement> judge_all(std::span<const Point> before, std::span<const Point> after,
                                 const Threshold& threshold) {
    std::vector<Judgement> judgements;
    for (const Point& point : before) {
        for (const Point& other : after) {
            if (point.problem == other.problem && point.provider == other.provider &&
                point.algorithm == other.algorithm) {
                judgements.push_back(judge(point, other, threshold));
                break;
            }
        }
    }
    return judgements;
}

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
    return different(points, [](const Point& point) { return point.provider; });
}

bool is_way_of_calling(const std::string& provider) {
    return provider.starts_with("tutti_");
}

std::vector<Point> points_of(std::span<const Point> points, const std::string& provider) {
    return those(points, [&](const Point& point) { return point.provider == provider; });
}

std::vector<Point> of_members(std::span<const Point> points, int members) {
    return those(points, [&](const Point& point) { return point.problem.members == members; });
}

Comparison compare(std::span<const Point> own, std::span<const Point> baseline) {
    const Threshold threshold;
    Comparison result;
    double log_sum = 0;
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
        log_sum += std::log(other->time_us.median / point.time_us.median);
        ++result.points;
    }
    result.mean_speedup = result.points == 0 ? 0 : std::exp(log_sum / static_cast<double>(result.points));
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
