#include "command/compare.hpp"

#include "report/regression.hpp"
#include "report/results_file.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tutti::bench {

namespace {

constexpr const char* line = "{:<7} {:<10} {:<15} {:<22} {:>7} {:>10} {:>11} {:>11} {:>7} {:>8}\n";

std::vector<Point> points_in(const std::string& path, const std::string& provider) {
    std::vector<Point> points;
    try {
        points = read_json(path);
    } catch (const std::invalid_argument& error) {
        throw UsageError(error.what());
    }
    std::erase_if(points,
                  [&](const Point& point) { return provider != "all" && point.provider != provider; });
    return points;
}

std::string text_of(const Judgement& judgement) {
    const Point& before = *judgement.before;
    const double ratio = judgement.after->time_us.median / before.time_us.median;
    return fmt::format(line, judgement.change == Change::slower ? "slower" : "faster", before.provider,
                       to_string(before.problem.collective), before.algorithm, before.problem.members,
                       format_bytes(before.problem.bytes()), format_us(before.time_us.median),
                       format_us(judgement.after->time_us.median), fmt::format("{:.2f}x", ratio),
                       fmt::format("{:.1g}", judgement.p_value));
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
    const std::vector<Point> before = points_in(arguments.before, arguments.provider);
    const std::vector<Point> after = points_in(arguments.after, arguments.provider);
    const auto judgements =
        judge_all(before, after, {.effect = arguments.effect / 100, .significance = arguments.significance});
    if (judgements.empty()) {
        throw UsageError(
            fmt::format("{} and {} have no point of provider \"{}\" in common; there are {} and {}",
                        arguments.before, arguments.after, arguments.provider, before.size(), after.size()));
    }
    const auto count = [&](Change change) {
        return std::ranges::count_if(judgements,
                                     [&](const Judgement& found) { return found.change == change; });
    };
    if (count(Change::same) < std::ranges::ssize(judgements)) {
        fmt::print(line, "", "provider", "collective", "algorithm", "members", "bytes", "before", "after",
                   "ratio", "p");
    }
    for (const Change change : {Change::slower, Change::faster}) {
        for (const Judgement& judgement : judgements) {
            if (judgement.change == change) {
                fmt::print("{}", text_of(judgement));
            }
        }
    }
    fmt::print(
        "{} slower, {} faster, {} the same within {} % or p >= {}; {} and {} points in one file only\n",
        count(Change::slower), count(Change::faster), count(Change::same), arguments.effect,
        arguments.significance, before.size() - judgements.size(), after.size() - judgements.size());
    return count(Change::slower) > 0 ? exit_regression : exit_fine;
}

} // namespace tutti::bench
