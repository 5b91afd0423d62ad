#include "report/bench_report.hpp"

#include "report/comparison.hpp"
#include "terminal/numbers.hpp"

#include <tutti/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tutti::bench {

namespace {

constexpr std::size_t large_bytes = std::size_t{16} << 20;

std::string ratio_or_dash(const std::optional<double>& ratio) {
    return ratio ? fmt::format("{:.2f}x", *ratio) : "-";
}

std::string us_or_dash(const std::optional<double>& us) {
    return us ? format_us(*us) : "-";
}

std::string name_of(const Problem& problem) {
    return fmt::format("{} {}, {} members", to_string(problem.collective), format_bytes(problem.bytes()),
                       problem.members);
}

/// Right-aligned columns as wide as their widest cell.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i])
                           : fmt::format("  {:>{}}", row[i], widths[i]);
        }
        text += '\n';
    }
    return text;
}

/// "12.3 us 1.50x": the baseline's median, and how many times Tutti's that is.
std::string baseline_cell(const Point& point, std::span<const Point> baseline) {
    const Point* const other = find_point(baseline, point.problem);
    if (other == nullptr) {
        return "-";
    }
    return fmt::format("{} {:.2f}x{}", format_us(other->time_us.median),
                       other->time_us.median / point.time_us.median, other->wrong == 0 ? "" : " WRONG");
}

std::vector<std::string> cells_of(const Point& point, std::span<const Point> baselines) {
    const Summary& time = point.time_us;
    std::vector<std::string> cells{
        std::string(to_string(point.problem.collective)),
        format_bytes(point.problem.bytes()),
        point.algorithm,
        format_us(time.median),
        fmt::format("{}..{}", format_us(time.ci95.first), format_us(time.ci95.second)),
        format_us(time.p99),
        us_or_dash(point.loop_us),
        us_or_dash(point.floor_us),
        ratio_or_dash(floor_ratio(point)),
        point.wrong == 0 ? "0" : fmt::format("{} WRONG", point.wrong)};
    for (const std::string& provider : providers_of(baselines)) {
        cells.push_back(baseline_cell(point, points_of(baselines, provider)));
    }
    return cells;
}

bool is_tiny_allreduce(const Point& point) {
    return point.problem.collective == Collective::allreduce && point.problem.bytes() <= 8;
}

/// Where members share CPUs, each runs once to enter and, but for the last of a CPU, once more to see that
/// all have: twice as many turns as the floor, in which each runs once. Back to back a member enters the next
/// call in the turn in which it leaves the last one.
std::string turns_line(const Point& point, int cpus) {
    if (!is_tiny_allreduce(point) || point.problem.shared || point.problem.members <= cpus ||
        !point.floor_us) {
        return "";
    }
    std::string text = fmt::format(
        "  {} on {} CPUs: {:.2f}x the least that the system's turns allow, which is twice the floor",
        name_of(point.problem), cpus, point.time_us.median / (2 * *point.floor_us));
    if (point.loop_us) {
        text += fmt::format("; back to back {:.2f}x, which is the floor", *point.loop_us / *point.floor_us);
    }
    return text + "\n";
}

std::string comparison_lines(std::span<const Point> points, std::span<const Point> baseline) {
    const Comparison comparison = compare(points, baseline);
    if (comparison.points == 0) {
        return "";
    }
    constexpr std::size_t listed = 12;
    const std::string& provider = baseline.front().provider;
    std::string text = fmt::format(
        "  against {}: geometric mean of the speed-ups {:.2f}x (at the floor everywhere it would be "
        "{:.2f}x), slower at {} of {} points\n",
        provider, comparison.mean_speedup, comparison.mean_at_floor, comparison.lost.size(),
        comparison.points);
    for (std::size_t i = 0; i < std::min(comparison.lost.size(), listed); ++i) {
        const Point& lost = *comparison.lost[i];
        text += fmt::format("    slower: {}: {:.2f}x\n", name_of(lost.problem),
                            find_point(baseline, lost.problem)->time_us.median / lost.time_us.median);
    }
    if (comparison.lost.size() > listed) {
        text += fmt::format("    and {} more\n", comparison.lost.size() - listed);
    }
    for (const Point& point : points) {
        const Point* const other = find_point(baseline, point.problem);
        if (is_tiny_allreduce(point) && point.algorithm == "auto" && other != nullptr) {
            text += fmt::format("    {}: {:.2f}x", name_of(point.problem),
                                other->time_us.median / point.time_us.median);
            text += point.loop_us && other->loop_us
                        ? fmt::format(", back to back {:.2f}x\n", *other->loop_us / *point.loop_us)
                        : "\n";
        }
    }
    return text;
}

std::string calling_line(const Calling& calling) {
    const auto line = [&](const std::string& what) {
        return fmt::format("{}: {}; its median a call, and how many times that of calls that block\n",
                           name_of(calling), what);
    };
    switch (calling.way) {
    case Calling::Way::blocking:
        break;
    case Calling::Way::started:
        return line(
            calling.in_flight > 1
                ? fmt::format("{} calls started on vectors of their own, then waited for", calling.in_flight)
                : "the same call started and waited for");
    case Calling::Way::persistent:
        return line("the same call prepared before, then started and waited for");
    case Calling::Way::arriving:
        return line("each member arrives for a rank that is only a name, and waits");
    case Calling::Way::one_caller:
        return line("member 0 calls for all, the others sleep");
    }
    return "";
}

} // namespace

std::string header_text(const Environment& environment, std::span<const Calling> callings,
                        std::span<const std::string> baselines) {
    std::string text =
        fmt::format("tutti {} on {}\n", TUTTI_VERSION_STRING, machine_line(environment.machine));
    text += fmt::format("{}, {} kernels, {}, placement {}\n", environment.compiler,
                        environment.instruction_set, environment.system, environment.placement);
    text +=
        R"(bytes: of the longest vector a member holds: that of broadcasts, reductions, scans and shifts; the input of
reduce_scatter, scatter and alltoall; the result of allgather and gather
median, 95 % interval of the median, p99: of runs from the first entry to the last exit; before each, every member
reads its last result and rewrites its input; loop: per call of many calls back to back, without that
floor: the same loads and stores without any synchronisation, measured in turns with the runs
)";
    for (const Calling& calling : callings) {
        text += calling_line(calling);
    }
    if (!baselines.empty()) {
        text +=
            fmt::format("{}: its median, and how many times Tutti's that is\n", fmt::join(baselines, ", "));
        text += "openmp, openmp_array and std_barrier take turns with Tutti, run by run on the same threads; "
                "those with threads\nor processes of their own take turns with it collective by collective, "
                "in rounds, on the same CPUs\n";
    }
    return text;
}

std::string table_text(std::span<const Point> points, std::span<const Point> baselines) {
    if (points.empty()) {
        return "";
    }
    std::vector<std::vector<std::string>> rows{{fmt::format("{} members", points.front().problem.members),
                                                "bytes", "algorithm", "median", "95 % interval", "p99",
                                                "loop", "floor", "/ floor", "wrong"}};
    std::ranges::copy(providers_of(baselines), std::back_inserter(rows.front()));
    for (const Point& point : points) {
        rows.push_back(cells_of(point, baselines));
    }
    return aligned(rows);
}

std::string summary_text(std::span<const Point> points, std::span<const Point> baselines, int cpus) {
    std::string text = "summary\n";
    std::size_t wrong = 0;
    for (const Point& point : points) {
        wrong += point.wrong;
    }
    text += fmt::format("  wrong elements: {}\n", wrong);
    for (const Point& point : points) {
        if (const auto ratio = exchange_ratio(point)) {
            text += fmt::format(
                "  {} ({}), back to back: {} against {} for a bare exchange of flags: {:.2f}x (bar: at most "
                "1.25x)\n",
                name_of(point.problem), point.algorithm, format_us(*point.loop_us),
                format_us(*point.exchange_us), *ratio);
        }
    }
    for (const Point& point : points) {
        text += turns_line(point, cpus);
    }
    if (const Point* const worst = worst_floor_ratio(points, large_bytes)) {
        text += fmt::format("  from 16 MiB on, furthest above the floor: {}: {:.2f}x (bar: at most 1.10x)\n",
                            name_of(worst->problem), *floor_ratio(*worst));
    }
    for (const std::string& provider : providers_of(baselines)) {
        text += comparison_lines(points, points_of(baselines, provider));
    }
    const std::vector<Point> mpi =
        better_of(points_of(baselines, "openmpi"), points_of(baselines, "mpich"), "the better of both MPIs");
    return text + comparison_lines(points, mpi);
}

} // namespace tutti::bench
