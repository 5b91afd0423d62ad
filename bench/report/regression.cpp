#include "report/regression.hpp"

namespace tutti::bench {

Judgement judge(const Point& before, const Point& after, const Threshold& threshold) {
    Judgement judgement{.before = &before, .after = &after};
    judgement.p_value = mann_whitney(before.samples_us, after.samples_us);
    if (judgement.p_value >= threshold.significance) {
        return judgement;
    }
    const double factor = 1 + threshold.effect;
    if (after.time_us.median >= before.time_us.median * factor) {
        judgement.change = Change::slower;
    } else if (after.time_us.median * factor <= before.time_us.median) {
        judgement.change = Change::faster;
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
