#include "command/subcommands.hpp"
#include "measure/statistics.hpp"
#include "report/comparison.hpp"
#include "report/results_file.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>

namespace tutti::bench {

namespace {

Results results_in(const std::string& path, const std::string& provider) {
    Results results = as_asked("", [&] { return read_json(path); });
    std::erase_if(results.points,
                  [&](const Point& point) { return provider != "all" && point.provider != provider; });
    return results;
}

/// A line for each circumstance in which the files differ; empty if there is none.
std::string circumstances_text(const Results& before, const Results& after) {
    std::string text;
    for (std::size_t i = 0; i < before.circumstances.size(); ++i) {
        const Circumstance& old_one = before.circumstances[i];
        const Circumstance& new_one = after.circumstances[i];
        if (old_one.value != new_one.value) {
            const auto shown = [](const std::string& value) { return value.empty() ? "not stated" : value; };
            text += fmt::format("  {}: {} | {}\n", old_one.name, shown(old_one.value), shown(new_one.value));
        }
    }
    return text.empty() ? "" : "the files are not from the same machine and version:\n" + text;
}

/// The provider where there can be several.
Table table_of(std::span<const Judgement> judgements, bool all_providers) {
    Table table({{.heading = "", .rank = 0, .left_aligned = true},
                 {.heading = "provider", .rank = 1, .left_aligned = true},
                 {.heading = "collective", .rank = 0, .left_aligned = true},
                 {.heading = "algorithm", .rank = 2, .left_aligned = true},
                 {.heading = "members", .rank = 0},
                 {.heading = "bytes", .rank = 0},
                 {.heading = "before", .rank = 4},
                 {.heading = "after", .rank = 3},
                 {.heading = "algbw", .rank = 6},
                 {.heading = "ratio", .rank = 0},
                 {.heading = "drift", .rank = 5},
                 {.heading = "floor", .rank = 1},
                 {.heading = "p", .rank = 7}});
    for (const Change change : {Change::slower, Change::faster, Change::unclear, Change::not_significant}) {
        for (const Judgement& judgement : judgements) {
            if (judgement.change != change) {
                continue;
            }
            const Point& before = *judgement.before;
            const Point& after = *judgement.after;
            const auto algbw = algorithm_bandwidth(after.problem, after.time_us.median);
            table.add({std::string(to_string(change)), all_providers ? before.provider : "-",
                       std::string(to_string(before.problem.collective)) +
                           (before.problem.in_place ? " in place" : ""),
                       before.algorithm, fmt::format("{}", before.problem.members),
                       format_bytes(before.problem.bytes()), format_us(before.time_us.median),
                       format_us(after.time_us.median), algbw ? fmt::format("{:.3g}", *algbw) : "",
                       fmt::format("{:.2f}x", after.time_us.median / before.time_us.median),
                       fmt::format("{:.2f}x", std::max(drift(before.samples_us), drift(after.samples_us))),
                       before.floor_us && after.floor_us
                           ? fmt::format("{:.2f}x", *after.floor_us / *before.floor_us)
                           : "",
                       fmt::format("{:.1g}", judgement.p_value)});
        }
    }
    return table;
}

bool has(std::span<const Judgement> judgements, Change change) {
    return std::ranges::find(judgements, change, &Judgement::change) != judgements.end();
}

/// A line for each count that does not explain itself.
std::string explained(std::span<const Judgement> judgements, const CompareArguments& arguments,
                      std::size_t only_before, std::size_t only_after) {
    std::string text;
    if (has(judgements, Change::unclear)) {
        text += "  unclear: no more than the drift, or the floor has changed as much\n";
    }
    if (has(judgements, Change::not_significant)) {
        text += fmt::format("  not significant: medians {} % apart or more, but p >= {}\n", arguments.effect,
                            arguments.significance);
    }
    if (has(judgements, Change::same)) {
        text += fmt::format("  the same: medians less than {} % apart\n", arguments.effect);
    }
    if (only_before + only_after > 0) {
        text += fmt::format("  in one file only: {} and {} points\n", only_before, only_after);
    }
    return text;
}

void check(const CompareArguments& arguments) {
    if (!(arguments.effect >= 0)) {
        throw UsageError(fmt::format("--effect: {} is no percentage from 0 on", arguments.effect));
    }
    if (!(arguments.significance > 0 && arguments.significance < 1)) {
        throw UsageError(
            fmt::format("--significance: {} is no probability between 0 and 1", arguments.significance));
    }
}

} // namespace

int run_compare(const CompareArguments& arguments) {
    check(arguments);
    const Results before = results_in(arguments.before, arguments.provider);
    const Results after = results_in(arguments.after, arguments.provider);
    const auto judgements =
        judge_all(before.points, after.points,
                  {.effect = arguments.effect / 100, .significance = arguments.significance});
    if (judgements.empty()) {
        throw UsageError(fmt::format(
            "{} and {} have no point of provider \"{}\" in common{}; there are {} and {}", arguments.before,
            arguments.after, arguments.provider, nothing_in_common(before.points, after.points),
            before.points.size(), after.points.size()));
    }
    const std::size_t width = width_of(stdout);
    fmt::print("{}", wrapped(circumstances_text(before, after), width));
    const Table table = table_of(judgements, arguments.provider == "all");
    if (!table.empty()) {
        fmt::print("{}{}", table.text(width),
                   wrapped("algbw: bytes over time after, in GB/s; drift: between parts of one measurement; "
                           "floor: after over before, or of the bare exchange where there is none\n",
                           width));
    }
    fmt::print("{}",
               wrapped(counts_text(judgements, arguments.provider == "all" ? "" : arguments.provider) + "\n" +
                           explained(judgements, arguments, before.points.size() - judgements.size(),
                                     after.points.size() - judgements.size()),
                       width));
    return has(judgements, Change::slower) ? exit_regression : exit_fine;
}

} // namespace tutti::bench
