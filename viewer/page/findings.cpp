#include "page/findings.hpp"

#include "report/comparison.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tutti::viewer {

namespace {

/// A point, and how many times something is what it should be there.
struct Extreme {
    const bench::Point* point = nullptr;
    double ratio = 0;
    std::size_t count = 0; ///< of all points that were added

    void add(const bench::Point& candidate, double candidate_ratio) {
        ++count;
        if (point == nullptr || candidate_ratio > ratio) {
            point = &candidate;
            ratio = candidate_ratio;
        }
    }
};

std::string full_name(const bench::Point& point) {
    return fmt::format("{} of {}{}", bench::name_of(point.problem), point.provider,
                       point.algorithm == "auto" ? "" : " by " + point.algorithm);
}

Finding wrong_results(std::span<const bench::Point> points) {
    std::size_t wrong = 0;
    const bench::Point* first = nullptr;
    for (const bench::Point& point : points) {
        wrong += point.wrong;
        first = first == nullptr && point.wrong > 0 ? &point : first;
    }
    if (first == nullptr) {
        return {Tone::good, "No result was wrong."};
    }
    return {Tone::warning,
            fmt::format("{} of results {} wrong, first at {}.", bench::counted(wrong, "element"),
                        wrong == 1 ? "was" : "were", full_name(*first))};
}

void add_floor(std::span<const bench::Point> own, std::vector<Finding>& found) {
    const bench::Point* const large = bench::worst_floor_ratio(own, bench::large_bytes);
    const bench::Point* const worst = large != nullptr ? large : bench::worst_floor_ratio(own, 0);
    if (worst != nullptr) {
        found.push_back(
            {Tone::note,
             fmt::format("{} is the furthest above the machine's floor{}: {:.2f} times.",
                         bench::name_of(worst->problem), large != nullptr ? ", of all from 16 MiB on" : "",
                         *bench::floor_ratio(*worst))});
    }
}

Finding peer(const std::string& provider, std::span<const bench::Point> others,
             const bench::Comparison& comparison) {
    const bool is_own = bench::is_way_of_calling(provider);
    const std::string text = fmt::format(
        "{} takes {:.2f} times as long as {}, in the geometric mean of {}", provider, comparison.mean_speedup,
        is_own ? "calls that block" : "Tutti", bench::counted(comparison.points, "point"));
    if (is_own) {
        return {Tone::note, text + "."};
    }
    if (comparison.lost.empty()) {
        return {Tone::good, text + ", and is significantly faster at none."};
    }
    Extreme most;
    for (const bench::Point* const lost : comparison.lost) {
        most.add(*lost, lost->time_us.median / bench::find_point(others, lost->problem)->time_us.median);
    }
    return {Tone::warning,
            fmt::format("{}. {} is significantly faster at {}: at {} Tutti takes {:.2f} times as long.", text,
                        provider, bench::counted(most.count, "point"), bench::name_of(most.point->problem),
                        most.ratio)};
}

/// An algorithm by name and the library's choice for the same problem.
struct Contest {
    const bench::Point* named = nullptr;
    double ratio = 0; ///< how many times as long the choice takes
};

/// "flat at allreduce 8 B, 2 members (2.27 times), ...": the largest few.
std::string list_of(std::vector<Contest> contests) {
    constexpr std::size_t most_listed = 3;
    std::ranges::sort(contests, std::ranges::greater{}, &Contest::ratio);
    std::string text;
    for (const Contest& contest : std::span(contests).first(std::min(contests.size(), most_listed))) {
        text += fmt::format("{}{} at {} ({:.2f} times)", text.empty() ? "" : ", ", contest.named->algorithm,
                            bench::name_of(contest.named->problem), contest.ratio);
    }
    return contests.size() > most_listed ? fmt::format("{} and {} more", text, contests.size() - most_listed)
                                         : text;
}

/// Algorithms by name against the choice for the same problem.
void add_choice(std::span<const bench::Point> own, std::vector<Finding>& found) {
    const bench::Threshold threshold;
    const std::string condition =
        fmt::format("by {:.0f} % with p < {} and by more than parts of its runs differ",
                    100 * threshold.effect, threshold.significance);
    std::vector<Contest> faster;
    std::vector<Contest> unsure;
    std::size_t named = 0;
    for (const bench::Point& point : own) {
        const auto is_choice = [&](const bench::Point& other) {
            return other.algorithm == "auto" && other.problem == point.problem;
        };
        const auto chosen = std::ranges::find_if(own, is_choice);
        if (point.algorithm == "auto" || chosen == own.end()) {
            continue;
        }
        ++named;
        const Contest contest{.named = &point, .ratio = chosen->time_us.median / point.time_us.median};
        if (bench::judge(*chosen, point, threshold).change == bench::Change::faster) {
            faster.push_back(contest);
        } else if (contest.ratio >= 1 + threshold.effect) {
            unsure.push_back(contest);
        }
    }
    if (named == 0) {
        return;
    }
    if (!faster.empty()) {
        found.push_back(
            {Tone::note, fmt::format("The library's choice is not the fastest everywhere: {} an algorithm by "
                                     "name is faster {}. The choice takes longer than {}.",
                                     bench::counted(faster.size(), "time"), condition, list_of(faster))});
    } else if (unsure.empty()) {
        found.push_back(
            {Tone::good,
             fmt::format("No algorithm by name is faster than the library's choice {}.", condition)});
    }
    if (!unsure.empty()) {
        found.push_back(
            {Tone::note,
             fmt::format("{} an algorithm by name looks faster than the library's choice, but not {}: {}.",
                         bench::counted(unsure.size(), "time"), condition, list_of(unsure))});
    }
}

/// Intervals of medians predict another run of this length, while the machine stays as it is.
Finding stability(std::span<const bench::Point> points, bool has_drifted) {
    Extreme widest;
    for (const bench::Point& point : points) {
        if (bench::is_unstable(point.time_us)) {
            const bench::Summary& time = point.time_us;
            widest.add(point, (time.ci95.second - time.ci95.first) / time.median);
        }
    }
    if (widest.point == nullptr) {
        return {has_drifted ? Tone::note : Tone::good,
                fmt::format("{} 95 % interval is wider than {:.0f} % of its median.",
                            has_drifted ? "No" : "All medians are stable: no", 100 * bench::widest_interval)};
    }
    return {Tone::warning, fmt::format("{} of {} medians are unstable: their 95 % intervals are wider than "
                                       "{:.0f} % of them. That of {} is {:.0f} % wide.",
                                       widest.count, points.size(), 100 * bench::widest_interval,
                                       full_name(*widest.point), 100 * widest.ratio)};
}

std::optional<Finding> drift_finding(std::span<const bench::Point> points) {
    Extreme most;
    for (const bench::Point& point : points) {
        const double by = bench::drift(point.samples_us);
        if (by > 1 + bench::widest_interval) {
            most.add(point, by);
        }
    }
    if (most.point == nullptr) {
        return std::nullopt;
    }
    return Finding{Tone::note, fmt::format("While {} of {} points were measured the machine changed: the "
                                           "medians of parts of their runs differ, {:.2f} times at {}.",
                                           most.count, points.size(), most.ratio, full_name(*most.point))};
}

} // namespace

std::string lines_of(std::span<const Finding> findings) {
    std::string text;
    for (const Finding& finding : findings) {
        text += (finding.tone == Tone::warning ? "! " : "  ") + finding.text + "\n";
    }
    return text;
}

std::vector<Finding> findings(std::span<const bench::Point> points) {
    if (points.empty()) {
        return {{Tone::note, "Nothing was measured."}};
    }
    std::vector<Finding> found{wrong_results(points)};
    const std::vector<bench::Point> own = bench::points_of(points, "tutti");
    add_floor(own, found);
    for (const std::string& provider : bench::providers_of(points)) {
        const std::vector<bench::Point> others = bench::points_of(points, provider);
        if (const bench::Comparison comparison = bench::compare(own, others);
            provider != "tutti" && comparison.points > 0) {
            found.push_back(peer(provider, others, comparison));
        }
    }
    add_choice(own, found);
    const std::optional<Finding> drifted = drift_finding(points);
    found.push_back(stability(points, drifted.has_value()));
    if (drifted) {
        found.push_back(*drifted);
    }
    return found;
}

Finding change_finding(const std::string& before, std::span<const bench::Point> before_points,
                       const std::string& after, std::span<const bench::Point> after_points) {
    const std::vector<bench::Point> old_own = bench::points_of(before_points, "tutti");
    const std::vector<bench::Point> new_own = bench::points_of(after_points, "tutti");
    const std::vector<bench::Judgement> judgements = bench::judge_all(old_own, new_own, {});
    if (judgements.empty()) {
        return {Tone::warning, fmt::format("{} and {} have no point of Tutti in common{}.", before, after,
                                           bench::nothing_in_common(old_own, new_own))};
    }
    Extreme slowest;
    for (const bench::Judgement& judgement : judgements) {
        if (judgement.change == bench::Change::slower) {
            slowest.add(*judgement.after, judgement.after->time_us.median / judgement.before->time_us.median);
        }
    }
    const std::string text =
        fmt::format("From {} to {}: {}.", before, after, bench::counts_text(judgements, "Tutti"));
    if (slowest.point == nullptr) {
        return {Tone::good, text};
    }
    return {Tone::warning, fmt::format("{} {} takes {:.2f} times as long as before.", text,
                                       full_name(*slowest.point), slowest.ratio)};
}

} // namespace tutti::viewer
