#include "report/regression.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tutti::bench {

namespace {

Change direction(double before, double after, double factor) {
    if (after >= before * factor) {
        return Change::slower;
    }
    return after * factor <= before ? Change::faster : Change::same;
}

} // namespace

double drift(std::span<const double> samples) {
    constexpr std::size_t parts = 8;
    if (samples.size() < 2 * parts) {
        return 1;
    }
    std::vector<double> medians;
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
    if (judgement.p_value >= threshold.significance) {
        return judgement;
    }
    const double old_us = before.time_us.median;
    const double new_us = after.time_us.median;
    judgement.change = direction(old_us, new_us, 1 + threshold.effect);
    if (judgement.change == Change::same) {
        return judgement;
    }
    const double by_machine_us = before.floor_us && after.floor_us ? *after.floor_us - *before.floor_us : 0;
    const bool is_beyond_drift =
        std::max(old_us, new_us) >
        std::min(old_us, new_us) * std::max(drift(before.samples_us), drift(after.samples_us));
    if (!is_beyond_drift ||
        direction(old_us + by_machine_us, new_us, 1 + threshold.effect) != judgement.change) {
        judgement.change = Change::unclear;
    }
    return judgement;
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
