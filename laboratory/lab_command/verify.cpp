#include "verify/verify.hpp"

#include "lab_command/lab_command.hpp"
#include "measure/gate.hpp"
#include "measure/problem.hpp"
#include "options/bench_options.hpp"
#include "prove/prove_rows.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace tutti::laboratory {

namespace {

using algorithm::Algorithm;

std::vector<const Algorithm*> chosen_rows(const VerifyArguments& arguments) {
    const std::vector<Collective> collectives =
        arguments.collective.empty() ? bench::all_collectives()
                                     : std::vector{bench::collective_named(arguments.collective)};
    if (!arguments.algorithm.empty()) {
        bench::check_known("--algorithm", arguments.algorithm, bench::algorithm_names(collectives));
    }
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : algorithm::registry()) {
        if (std::ranges::find(collectives, row.collective) != collectives.end() &&
            (arguments.algorithm.empty() || row.name == arguments.algorithm)) {
            rows.push_back(&row);
        }
    }
    return rows;
}

std::string forms_text(const Algorithm& row) {
    std::string text;
    for (const schedule::Protocol protocol : protocols_of(row)) {
        text += (text.empty() ? "" : ", ") + name_of(protocol);
    }
    return text;
}

std::string counts_text(const Verdict& verdict) {
    if (verdict.ranks == 0) {
        return "-";
    }
    if (verdict.miscounts != 0) {
        return fmt::format("differ at {}", verdict.miscounts);
    }
    constexpr std::array texts{"equal", "equal, reductions within", "rounds equal, rest within", "within"};
    return texts[static_cast<std::size_t>(verdict.row->bound)];
}

std::string shown_ranks(const std::string& ranks) {
    return ranks.size() <= 40 ? ranks : ranks.substr(0, 37) + "...";
}

int print_verdicts(const std::vector<Verdict>& verdicts, const std::string& ranks, double seconds) {
    bench::Table table({{.heading = "collective", .rank = 0, .left_aligned = true},
                        {.heading = "algorithm", .rank = 0, .left_aligned = true},
                        {.heading = "forms", .rank = 4, .left_aligned = true},
                        {.heading = "numbers of members", .rank = 3},
                        {.heading = "proofs", .rank = 2},
                        {.heading = "counts to closed forms", .rank = 1, .left_aligned = true},
                        {.heading = "violations", .rank = 0}});
    std::size_t proofs = 0;
    std::size_t renamed = 0;
    std::size_t too_large = 0;
    bool fine = true;
    bool has_bounds = false;
    bool is_sampled = false;
    for (const Verdict& verdict : verdicts) {
        table.add({std::string(to_string(verdict.row->collective)), std::string(verdict.row->name),
                   forms_text(*verdict.row), fmt::format("{}", verdict.ranks),
                   fmt::format("{}", verdict.proofs), counts_text(verdict),
                   fmt::format("{}", verdict.violations)});
        proofs += verdict.proofs;
        renamed += verdict.renamed;
        too_large += verdict.too_large;
        has_bounds = has_bounds || (verdict.ranks != 0 && verdict.row->bound != algorithm::Bound::exact);
        is_sampled = is_sampled || verdict.is_sampled;
        fine = fine && verdict.violations == 0 && verdict.miscounts == 0;
    }
    const std::size_t width = bench::width_of(stdout);
    fmt::print("{}", table.text(width));
    for (const Verdict& verdict : verdicts) {
        for (const std::string& text : verdict.texts) {
            fmt::print("  {}\n", text);
        }
    }
    if (has_bounds) {
        fmt::print("{}", bench::wrapped("within: counts are at most what the closed forms say\n", width));
    }
    const std::string summary = fmt::format(
        "{} synchronised schedules for {} member{}, and {} that are one of these with other roots, in {:.1f} "
        "s: content, deadlock, data races, bounds: {}{}{}\n",
        proofs, shown_ranks(ranks), ranks == "1" ? "" : "s", renamed, seconds, fine ? "all hold" : "VIOLATED",
        too_large == 0 ? "" : fmt::format("; {} schedules too large to be proved here", too_large),
        is_sampled ? fmt::format("; of more than {} members one root was taken, and one form where each "
                                 "member has a program of its own",
                                 all_up_to)
                   : "");
    fmt::print("{}", bench::wrapped(summary, width));
    return fine ? bench::exit_fine : bench::exit_wrong;
}

} // namespace

int run_verify(const VerifyArguments& arguments) {
    const std::vector<const Algorithm*> rows = chosen_rows(arguments);
    const std::vector<int> ranks = bench::as_asked(
        "--members: ", [&] { return bench::parse_counts(arguments.ranks, bench::most_ranks); });
    const bool has_any = std::ranges::any_of(rows, [&](const Algorithm* row) {
        return std::ranges::any_of(ranks, [&](int size) { return takes(*row, size); });
    });
    if (!has_any) {
        throw bench::UsageError(
            fmt::format("--members: {} is for powers of two, not for {}: there is nothing to prove",
                        rows.front()->name, shown_ranks(arguments.ranks)));
    }
    const std::int64_t started_ns = bench::now_ns();
    const std::size_t jobs = rows.size() * ranks.size();
    std::size_t done = 0;
    bench::Progress progress(jobs, !arguments.quiet);
    const auto verdicts = prove_rows(rows, ranks, [&](const Algorithm& row, int size) {
        constexpr std::size_t tenths = 10;
        const std::size_t percent = ++done * tenths / jobs * tenths;
        progress.step(fmt::format("{} % verified", percent),
                      fmt::format("{} {}, {} ranks", to_string(row.collective), row.name, size));
    });
    progress.clear();
    return print_verdicts(verdicts, arguments.ranks,
                          static_cast<double>(bench::now_ns() - started_ns) * 1e-9);
}

} // namespace tutti::laboratory
