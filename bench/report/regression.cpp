#include "report/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace tutti::bench {

namespace {

Change direction(double before, double after, double factor) {
    if (after >= before * factor) {
        return Change::slower;
    }
    return after * factor <= before ? Change::faster : Change::same;
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
    std::string text =
        fmt::format("{} of {} point{}{} {} slower, {} faster", count(Change::slower), judgements.size(),
                    judgements.size() == 1 ? "" : "s", whose.empty() ? "" : " of " + whose,
                    count(Change::slower) == 1 ? "is" : "are", count(Change::faster));
    for (const Change change : {Change::unclear, Change::not_significant, Change::same}) {
        if (count(change) > 0) {
            text += fmt::format(", {} {}{}", count(change), change == Change::same ? "the " : "",
                                to_string(change));
        }
    }
    return text;
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

} // namespace tutti::bench
