#include "choose/group_config.hpp"
#include "distance/groups.hpp"
#include "distance/line_profile.hpp"
#include "lab_command/lab_command.hpp"
#include "machine/files.hpp"
#include "report/environment.hpp"
#include "survey/distances.hpp"
#include "survey/profile_json.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tutti::laboratory {

namespace {

using distance::Class;
using distance::MachineModel;

/// A file that is rejected later would be of no use.
std::string checked_text(const Survey& survey) {
    Pairs pairs{.cpus = {}, .one_way_ns = survey.one_way_ns};
    std::ranges::transform(survey.pus, std::back_inserter(pairs.cpus), &machine::Pu::os_index);
    std::string text = to_text(MeasuredProfile{survey.profile, std::move(pairs)});
    try {
        parse_line_profile(text);
    } catch (const std::invalid_argument& error) {
        throw bench::EnvironmentUnfit(
            fmt::format("measure: other programs have disturbed it: {}; nothing is written", error.what()));
    }
    return text;
}

void print_lines(std::FILE* out, const MachineModel& profile) {
    fmt::print(out, "\n{:<8}{:>21}{:>18}{:>9}{:>12}{:>12}{:>12}{:>12}\n", "lines", "one way, ns",
               "k readers, ns", "flag, ns", "taken back", "fetched", "by two", "stored");
    for (const Class each : distance::all_classes) {
        if (profile.has_class(each)) {
            const distance::LineCosts& lines = profile.lines_at(each);
            fmt::print(out, "{:<8}{:>21}{:>18}{:>9}{:>12}{:>12}{:>12}{:>12}\n", to_string(each),
                       fmt::format("{} / {} / {}", lines.least_one_way.value, lines.median_one_way.value,
                                   lines.most_one_way.value),
                       fmt::format("{} + {} k", lines.readers_base.value, lines.readers_each.value),
                       lines.flag.value, fmt::format("{} ns", lines.taken_back.value),
                       fmt::format("{} GB/s", lines.fetch.value),
                       fmt::format("{} GB/s", lines.fetch_contended.value),
                       fmt::format("{} GB/s", lines.store.value));
        }
    }
}

void print_memory(std::FILE* out, const MachineModel& profile) {
    fmt::print(out, "\n{:<8}{:>12}{:>12}{:>12}\n", "memory", "read", "written", "copied");
    for (const Class each : distance::all_classes) {
        if (each == Class::core || profile.has_class(each)) {
            const distance::Bandwidth& memory = profile.memory_of(each);
            fmt::print(out, "{:<8}{:>12}{:>12}{:>12} GB/s\n", to_string(each), memory.read.value,
                       memory.write.value, memory.copy.value);
        }
    }
    const auto print_cache = [&](const char* name, const distance::CacheBandwidth& cache) {
        fmt::print(out, "{:<8}{:>12}{:>12}{:>12} GB/s\n", name, cache.read.value, cache.write.value, "");
    };
    fmt::print(out, "\n{:<8}{:>12}{:>12}\n", "a core", "read", "written");
    print_cache("L2", profile.l2);
    print_cache("L3", profile.l3);
    fmt::print(out, "\nan exclusive store {} ns, an allreduce of 8 B between the two nearest cores {} ns\n\n",
               profile.exclusive_store.value, profile.call.value);
}

/// Prints the numbers that are not measured, with the rules that estimate them.
void print_estimates(std::FILE* out, MachineModel profile) {
    const std::vector<distance::NamedNumber> numbers = numbers_of(profile);
    for (std::size_t source = 0; source < profile.sources.size(); ++source) {
        std::vector<std::string> names;
        for (const distance::NamedNumber& named : numbers) {
            if (named.number->source == source) {
                names.push_back(named.name);
            }
        }
        if (profile.sources[source].origin == distance::Origin::estimated && !names.empty()) {
            fmt::print(out, "estimated, since it could not be measured: {} ({})\n", fmt::join(names, ", "),
                       profile.sources[source].text);
        }
    }
}

void print_differences(std::FILE* out, const Survey& survey,
                       const std::vector<distance::FoundLevel>& levels) {
    const std::vector<std::string> sentences = differences(survey.pus, survey.one_way_ns, levels);
    for (const std::string& sentence : sentences) {
        fmt::print(out, "{}\n", sentence);
    }
    if (survey.pus.size() < 3) {
        fmt::print(out, "two CPUs show no groups\n");
    } else if (sentences.empty()) {
        fmt::print(out, "the times show the groups that hwloc states, and no others\n");
    }
}

Survey surveyed(const machine::Machine& machine, const MeasureArguments& arguments) {
    try {
        return survey(machine, arguments.seconds, !arguments.quiet);
    } catch (const std::bad_alloc&) {
        throw bench::EnvironmentUnfit("measure: there is not enough memory");
    } catch (const std::runtime_error& error) {
        throw bench::EnvironmentUnfit(fmt::format("measure: {}", error.what()));
    }
}

} // namespace

int run_measure(const MeasureArguments& arguments) {
    constexpr double most_seconds = 3600;
    if (!(arguments.seconds > 0 && arguments.seconds <= most_seconds)) {
        throw bench::UsageError(
            fmt::format("--seconds: {} is not above 0 and at most {}", arguments.seconds, most_seconds));
    }
    bench::check_writable("--output", arguments.output);
    const machine::Machine& machine = tuning::this_machine();
    if (machine.pus.size() < 2) {
        throw bench::EnvironmentUnfit("measure: this process may use one CPU; lines go between two");
    }
    std::FILE* const out = bench::text_stream(std::array{arguments.output});
    fmt::print(out, "tutti on {}\n", bench::machine_line(machine));
    const Survey survey = surveyed(machine, arguments);
    const std::vector<distance::FoundLevel> levels = find_levels(survey.one_way_ns);
    if (survey.pus.size() < machine.pus.size()) {
        fmt::print(out, "{} of {} CPUs are compared, from all over the machine\n", survey.pus.size(),
                   machine.pus.size());
    }
    print_lines(out, survey.profile);
    print_memory(out, survey.profile);
    print_estimates(out, survey.profile);
    print_differences(out, survey, levels);
    bench::deliver(arguments.output, checked_text(survey), out);
    return bench::exit_fine;
}

} // namespace tutti::laboratory
