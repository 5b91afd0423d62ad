#include "report/bench_report.hpp"

#include "measure/statistics.hpp"
#include "report/comparison.hpp"
#include "terminal/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tutti::bench {

namespace {

std::string us_or_dash(const std::optional<double>& us) {
    return us ? format_us(*us) : "-";
}

std::string median_text(const Point& point) {
    return (is_unstable(point.time_us) ? "~" : "") + format_us(point.time_us.median);
}

std::string gb_or_dash(const std::optional<double>& gb_per_s) {
    return gb_per_s ? fmt::format("{:.3g}", *gb_per_s) : "-";
}

/// "12.3 us 1.50x": the baseline's median, and how many times Tutti's that is.
std::string baseline_cell(const Point& point, std::span<const Point> baseline) {
    const Point* const other = find_point(baseline, point.problem);
    if (other == nullptr) {
        return "-";
    }
    return fmt::format("{} {:.2f}x{}", median_text(*other), other->time_us.median / point.time_us.median,
                       other->wrong == 0 ? "" : " WRONG");
}

std::vector<std::string> cells_of(const Point& point, std::span<const Point> baselines) {
    const Summary& time = point.time_us;
    const std::optional<double> ratio = floor_ratio(point);
    std::vector<std::string> cells{
        std::string(to_string(point.problem.collective)) + (point.problem.in_place ? " in place" : ""),
        format_bytes(point.problem.bytes()),
        point.algorithm,
        median_text(point),
        gb_or_dash(algorithm_bandwidth(point.problem, time.median)),
        gb_or_dash(bus_bandwidth(point.problem, time.median)),
        fmt::format("{}..{}", format_us(time.ci95.first), format_us(time.ci95.second)),
        format_us(time.p99),
        us_or_dash(point.loop_us),
        us_or_dash(point.floor_us),
        ratio ? fmt::format("{:.2f}x", *ratio) : "-",
        point.wrong == 0 ? "-" : fmt::format("{} WRONG", point.wrong)};
    for (const std::string& provider : providers_of(baselines)) {
        cells.push_back(baseline_cell(point, points_of(baselines, provider)));
    }
    return cells;
}

/// The column that a narrow terminal leaves out first has the highest rank.
Table table_for(int members, std::span<const Point> baselines) {
    std::vector<Table::Column> columns{{fmt::format("{} members", members), 0, true},
                                       {"bytes", 0, false},
                                       {"algorithm", 1, true},
                                       {"median", 0, false},
                                       {"algbw", 4, false},
                                       {"busbw", 3, false},
                                       {"95 % interval", 6, false},
                                       {"p99", 7, false},
                                       {"loop", 8, false},
                                       {"floor", 9, false},
                                       {"/ floor", 5, false},
                                       {"wrong", 0, false}};
    for (const std::string& provider : providers_of(baselines)) {
        columns.push_back({provider, 2, false});
    }
    return Table(std::move(columns));
}

std::string calling_text(const Calling& calling) {
    constexpr std::array texts{"", "the same call started and waited for",
                               "the same call prepared before, then started and waited for",
                               "each member arrives for a rank that is only a name, and waits",
                               "member 0 calls for all, the others sleep"};
    return calling.in_flight > 1
               ? fmt::format("{} calls started on vectors of their own, then waited for", calling.in_flight)
               : texts[static_cast<std::size_t>(calling.way)];
}

Table filled_table(std::span<const Point> points, std::span<const Point> baselines) {
    Table table = table_for(points.front().problem.members, baselines);
    for (const Point& point : points) {
        table.add(cells_of(point, baselines));
    }
    return table;
}

/// The meaning of columns, each line for those of its headings that are shown.
struct Meaning {
    std::vector<std::string> headings;
    std::string text;
};

std::vector<Meaning> meanings(std::span<const Calling> callings) {
    std::vector<Meaning> all{
        {{"bytes"},
         "of the longest vector a member holds: the input of reduce_scatter, scatter and alltoall, the "
         "result of allgather and gather"},
        {{"median", "95 % interval", "p99"},
         "of runs from the first entry to the last exit; before each, members rewrite their inputs"},
        {{"algbw"}, "bytes over median, in GB/s (10^9 bytes a second)"},
        {{"busbw"},
         "algbw times the factor of nccl-tests: with n members 2 (n - 1) / n of an allreduce, (n - 1) "
         "/ n where vectors are made of blocks, else 1"},
        {{"loop"}, "time of an iteration, in which members read their results, write their inputs and call"},
        {{"floor", "/ floor"},
         "the same loads and stores without any synchronisation, in turns with the runs"}};
    for (const Calling& calling : callings) {
        all.push_back(
            {{name_of(calling)},
             calling_text(calling) + "; its median a call, and how many times that of calls that block"});
    }
    return all;
}

} // namespace

std::string header_text(const Environment& environment, std::size_t width) {
    const std::string text =
        fmt::format("tutti {} on {}\n{}, {} kernels, {}, placement {}\n", version_of_tutti(),
                    machine_line(environment.machine), environment.compiler, environment.instruction_set,
                    environment.system, environment.placement);
    return wrapped(text, std::min(width, widest_prose));
}

std::string legend_text(std::span<const Point> points, std::span<const Point> baselines,
                        std::span<const Calling> callings, std::size_t width) {
    if (points.empty()) {
        return "";
    }
    std::vector<std::string> columns = filled_table(points, baselines).shown(width);
    const auto is_shown = [&](const std::string& heading) {
        return std::ranges::find(columns, heading) != columns.end();
    };
    std::string text;
    for (const Meaning& meaning : meanings(callings)) {
        std::vector<std::string> headings;
        std::ranges::copy_if(meaning.headings, std::back_inserter(headings), is_shown);
        if (!headings.empty()) {
            text += fmt::format("{}: {}\n", fmt::join(headings, ", "), meaning.text);
        }
    }
    const auto is_unstable_point = [](const Point& point) { return is_unstable(point.time_us); };
    if (std::ranges::any_of(points, is_unstable_point) || std::ranges::any_of(baselines, is_unstable_point)) {
        text += fmt::format("~: unstable, the 95 % interval is wider than {:.0f} % of the median\n",
                            100 * widest_interval);
    }
    std::vector<std::string> peers = providers_of(baselines);
    std::erase_if(peers, [&](const std::string& name) { return is_way_of_calling(name) || !is_shown(name); });
    if (!peers.empty()) {
        text += fmt::format("{}: its median, and that median over Tutti's\n", fmt::join(peers, ", "));
    }
    return wrapped(text, std::min(width, widest_prose));
}

std::string table_text(std::span<const Point> points, std::span<const Point> baselines, std::size_t width) {
    return points.empty() ? "" : filled_table(points, baselines).text(width);
}

} // namespace tutti::bench
