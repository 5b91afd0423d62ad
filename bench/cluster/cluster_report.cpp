#include "cluster/cluster_calls.hpp"
#include "measure/statistics.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tutti::bench {

namespace {

const Point* find(const Results& results, const std::string& provider, const Problem& problem) {
    const auto found = std::ranges::find_if(results.points, [&](const Point& point) {
        return point.provider == provider && point.problem == problem;
    });
    return found == results.points.end() ? nullptr : &*found;
}

/// The point of flat MPI, in which each process has its result.
const Point* flat_point(const Results& results, Problem problem) {
    const Point* const shared = find(results, "openmpi", problem); // took turns with the cluster
    problem.shared = false;
    return shared != nullptr ? shared : find(results, "openmpi", problem);
}

/// Two times: of single runs, and back to back where that was measured.
std::string times(const Point* point) {
    if (point == nullptr) {
        return "-";
    }
    const std::string loop = point->loop_us ? fmt::format(" ({})", format_us(*point->loop_us)) : "";
    return format_us(point->time_us.median) + loop;
}

/// How the cluster compares with one provider over all problems.
class Ratios {
public:
    std::string add(const Point& own, const Point* other) {
        if (other == nullptr || !(own.time_us.median > 0)) {
            return "-";
        }
        const double ratio = other->time_us.median / own.time_us.median;
        log_sum_ += std::log(ratio);
        ++count_;
        least_ = std::min(least_, ratio);
        return fmt::format("{:.2f}x", ratio);
    }

    std::string text(const std::string& way, const char* provider) const {
        if (count_ == 0) {
            return "";
        }
        return fmt::format(
            "{} beside {}: {:.2f}x as fast in the geometric mean of {} points, at least {:.2f}x\n", way,
            provider, std::exp(log_sum_ / count_), count_, least_);
    }

private:
    double log_sum_ = 0;
    int count_ = 0;
    double least_ = std::numeric_limits<double>::infinity();
};

} // namespace

std::string hybrid_text(const Results& results, std::size_t width) {
    std::string text =
        results.title +
        "\nMedians of runs from the first entry to the last exit; in brackets back to back. x: how many "
        "times faster the cluster is. algbw: bytes over the cluster's median, in GB/s.\n\n";
    Table table({{.heading = "collective", .rank = 0, .left_aligned = true},
                 {.heading = "way", .rank = 0, .left_aligned = true},
                 {.heading = "m", .rank = 0},
                 {.heading = "cluster", .rank = 0},
                 {.heading = "algbw", .rank = 4},
                 {.heading = "OpenMP + MPI by hand", .rank = 3},
                 {.heading = "x by hand", .rank = 1},
                 {.heading = "flat MPI", .rank = 3},
                 {.heading = "x flat", .rank = 1},
                 {.heading = "wrong", .rank = 2}});
    std::map<std::string, Ratios> by_hand;
    std::map<std::string, Ratios> flat;
    for (const Point& own : results.points) {
        if (own.provider != "hybrid") {
            continue;
        }
        const Point* const hand = find(results, "hand-written", own.problem);
        const Point* const all = flat_point(results, own.problem);
        const std::string hand_ratio = by_hand[own.algorithm].add(own, hand);
        const std::string flat_ratio = flat[own.algorithm].add(own, all);
        const auto algbw = algorithm_bandwidth(own.problem, own.time_us.median);
        table.add({std::string(to_string(own.problem.collective)), own.algorithm,
                   format_bytes(own.problem.bytes()), times(&own),
                   algbw ? fmt::format("{:.3g}", *algbw) : "-", times(hand), hand_ratio, times(all),
                   flat_ratio, fmt::format("{}", own.wrong)});
    }
    text = wrapped(text, width) + table.text(width) + "\n";
    for (const auto& [way, ratios] : by_hand) {
        text += ratios.text(way, "OpenMP + MPI by hand") + flat[way].text(way, "flat MPI");
    }
    return results.failure.empty() ? text : text + "flat MPI failed: " + results.failure + "\n";
}

} // namespace tutti::bench
