#include "command/tune.hpp"

#include "algorithm/registry.hpp"
#include "choose/algorithm_predictor.hpp"
#include "options/bench_options.hpp"
#include "report/environment.hpp"
#include "survey/survey.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/numbers.hpp"
#include "terminal/output.hpp"
#include "terminal/table.hpp"
#include "tune/profiler.hpp"
#include "tune/tuner.hpp"
#include "tune/tuning_plan.hpp"
#include "tuning/file.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/load.hpp"

#include <tutti/error.hpp>
#include <tutti/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <stdexcept>

namespace tutti::bench {

namespace {

/// What was measured of the algorithm that the library chooses by itself.
const tuning::Measured& built_in_of(const Tuned& tuned) {
    return *std::ranges::find(tuned.entry.measured, tuned.built_in, &tuning::Measured::row);
}

/// A line for a point that is chosen otherwise than by the library itself.
std::string change_line(const Tuned& tuned) {
    const tuning::Point& point = tuned.entry.point;
    const auto& measured = tuned.entry.measured;
    const auto rows = algorithm::registry();
    const tuning::Measured& built_in = built_in_of(tuned);
    return fmt::format("{:<15} {:<7} {:>3} members {:>8}  {} {} instead of {} {}\n",
                       to_string(point.collective), to_string(point.operands), point.members,
                       format_bytes(point.bytes), rows[measured.front().row].name,
                       format_us(measured.front().us), rows[built_in.row].name, format_us(built_in.us));
}

/// How many times as long as the fastest algorithm the one takes that the library chooses by itself.
double built_in_ratio(const Tuned& tuned) {
    return built_in_of(tuned).us /
           std::ranges::min_element(tuned.entry.measured, {}, &tuning::Measured::us)->us;
}

/// How near the library's own choice comes to the fastest algorithm, over all points.
std::string built_in_line(const std::vector<Tuned>& tuned) {
    const auto within =
        std::ranges::count_if(tuned, [](const Tuned& each) { return built_in_ratio(each) < least_gain; });
    const Tuned& worst = *std::ranges::max_element(tuned, {}, built_in_ratio);
    const tuning::Point& point = worst.entry.point;
    return fmt::format(
        "the library's own choice is within {:.0f} % of the fastest at {} of {} points; furthest from it "
        "with {:.2f}x: {} {}, {} members, {}\n",
        100 * (least_gain - 1), within, tuned.size(), built_in_ratio(worst), to_string(point.collective),
        to_string(point.operands), point.members, format_bytes(point.bytes));
}

BenchOptions parsed(const TuneArguments& arguments) {
    BenchArguments measuring{.points = arguments.points, .rounds = 1};
    std::string& members = measuring.points.members;
    if (members == "auto") {
        const auto cpus = static_cast<int>(tuning::this_machine().pus.size());
        members = fmt::format("{}", fmt::join(members_to_tune(cpus), ","));
    }
    BenchOptions options = measuring.parsed();
    if (options.members.front() < 2) {
        throw UsageError("--members: 1 member has nothing to choose; any number from 2 on works");
    }
    check_memory(options);
    return options;
}

/// A file that the library then refuses would be of no use.
void write(const tuning::Table& table, const std::string& path) {
    write_output(path, tuning::to_text(table));
    if (is_stdout(path)) {
        return;
    }
    try {
        tuning::load(path, tuning::this_machine());
    } catch (const std::invalid_argument& error) {
        throw EnvironmentUnfit(fmt::format("{} is not as it was written: {}", path, error.what()));
    }
}

/// Where some members of this machine choose by predictions.
std::optional<distance::MachineModel> measured_lines(const machine::Machine& machine, double seconds,
                                                     bool progress_shown) {
    const auto cpus = static_cast<int>(machine.pus.size());
    if (!engine::AlgorithmPredictor::is_for(cpus, cpus, machine.l3_groups())) {
        return std::nullopt;
    }
    distance::MachineModel lines = laboratory::survey(machine, seconds, progress_shown).profile;
    check(lines);
    return lines;
}

int tune(const BenchOptions& options, const TuneArguments& arguments) {
    const machine::Machine& machine = tuning::this_machine();
    std::FILE* const out = text_stream(std::array{arguments.output});
    fmt::print(out, "tutti on {}, placement {}\n", machine_line(machine), options.placement);
    constexpr double most_profile_seconds = 5;
    constexpr double most_lines_seconds = 60;
    tuning::Table table{TUTTI_VERSION_STRING, tuning::fingerprint(machine), {}, {}, {}};
    table.profile =
        measure_thresholds(machine, std::min(most_profile_seconds, 0.1 * arguments.points.seconds));
    table.lines =
        measured_lines(machine, std::min(most_lines_seconds, 0.1 * arguments.points.seconds), !options.quiet);
    Tuner tuner(options, arguments.points.seconds, table.lines);
    tuner.run();
    if (tuner.wrong() > 0) {
        fmt::print(out, "{} wrong elements; nothing is written\n", tuner.wrong());
        return exit_wrong;
    }
    std::size_t changes = 0;
    const std::vector<Tuned> all = tuner.tuned();
    for (const Tuned& tuned : all) {
        if (tuned.entry.measured.front().row != tuned.built_in) {
            fmt::print(out, "{}", wrapped(change_line(tuned), width_of(out)));
            ++changes;
        }
        table.entries.push_back(tuned.entry);
    }
    write(table, arguments.output);
    if (tuner.left_out() > 0) {
        fmt::print(out, "{} points are left out for which --seconds {} did not last\n", tuner.left_out(),
                   arguments.points.seconds);
    }
    if (!all.empty()) {
        fmt::print(out, "{}", wrapped(built_in_line(all), width_of(out)));
    }
    fmt::print(out, "{} points, {} of them chosen otherwise than by the library itself\n",
               table.entries.size(), changes);
    if (!is_stdout(arguments.output)) {
        fmt::print(out,
                   "written to {}: set TUTTI_TUNING to its path, or the option tuning of a team or group\n",
                   arguments.output);
    }
    if (table.profile) {
        fmt::print(out, "{}", machine::describe(*table.profile));
    }
    return exit_fine;
}

} // namespace

int run_tune(const TuneArguments& arguments) {
    const BenchOptions options = parsed(arguments);
    check_writable("output", arguments.output);
    try {
        return tune(options, arguments);
    } catch (const ArgumentError& error) {
        throw UsageError(error.what());
    }
}

} // namespace tutti::bench
