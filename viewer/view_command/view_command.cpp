#include "view_command/view_command.hpp"

#include "algorithm/registry.hpp"
#include "choose/select.hpp"
#include "machine/pinning.hpp"
#include "measure/problem.hpp"
#include "model/prediction_table.hpp"
#include "options/bench_options.hpp"
#include "page/page.hpp"
#include "record/timeline.hpp"
#include "report/results_file.hpp"
#include "survey/profile_json.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"
#include "threads/tutti_calls.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

namespace tutti::viewer {

namespace {

/// Whether `tutti measure` wrote it; its reader reports faults.
bool is_profile(const std::string& path) {
    std::ifstream file(path);
    const nlohmann::json whole = nlohmann::json::parse(file, nullptr, false);
    return whole.is_object() && whole.contains("format");
}

/// The names of files in the report: without folders, unless two would have one name.
std::vector<std::string> short_names(const std::vector<std::string>& paths) {
    std::vector<std::string> names;
    for (const std::string& path : paths) {
        const std::string name = std::filesystem::path(path).filename();
        const auto name_in = [](const std::string& other) {
            return std::filesystem::path(other).filename().string();
        };
        names.push_back(std::ranges::count(paths, name, name_in) == 1 ? name : path);
    }
    return names;
}

Subjects subjects_in(const std::vector<std::string>& paths) {
    const std::vector<std::string> names = short_names(paths);
    return bench::as_asked("", [&] {
        Subjects subjects;
        for (std::size_t at = 0; at < paths.size(); ++at) {
            if (is_profile(paths[at])) {
                laboratory::MeasuredProfile measured = laboratory::read_measured_profile(paths[at]);
                subjects.profiles.push_back(
                    {names[at], std::move(measured.profile), std::move(measured.pairs)});
            } else {
                subjects.results.push_back({names[at], bench::read_json(paths[at])});
            }
        }
        return subjects;
    });
}

using trace::Timeline;

/// So that the first operation of them begins at 0: files count from when a program has begun.
void begin_at_zero(std::vector<Timeline>& timelines) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    const auto for_each_span = [&](auto visit) {
        for (Timeline& timeline : timelines) {
            for (trace::Lane& lane : timeline.lanes) {
                std::ranges::for_each(lane.spans, visit);
                std::ranges::for_each(lane.flights, visit);
            }
        }
    };
    for_each_span([&](const trace::Span& span) { first = std::min(first, span.begin_ns); });
    for_each_span([&](trace::Span& span) {
        span.begin_ns -= first;
        span.end_ns -= first;
    });
}

/// The call that takes as long as most, of those that follow barriers, which have even numbers.
std::uint64_t middle_call(const Timeline& timeline) {
    std::map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> calls;
    for (const trace::Lane& lane : timeline.lanes) {
        for (const trace::Span& span : lane.spans) {
            if (span.kind == trace::SpanKind::operation && span.number % 2 == 0) {
                auto& [begin, end] = calls.try_emplace(span.number, span.begin_ns, span.end_ns).first->second;
                begin = std::min(begin, span.begin_ns);
                end = std::max(end, span.end_ns);
            }
        }
    }
    std::vector<std::pair<std::int64_t, std::uint64_t>> lengths;
    for (const auto& [number, ends] : calls) {
        lengths.emplace_back(ends.second - ends.first, number);
    }
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    return middle->second;
}

/// Members that share CPUs come when these are free.
std::string name_of_measured(int members) {
    const int cpus = machine::allowed_pus();
    const std::string shared = bench::counted(static_cast<std::size_t>(cpus), "CPU");
    return "measured here" +
           (members <= cpus ? "" : fmt::format(", where {} members share {}", members, shared));
}

std::vector<Timeline> measured(const TraceArguments& arguments, Collective collective, int members,
                               std::size_t bytes) {
    constexpr int calls = 33;
    const bench::Problem problem = bench::as_asked(
        "", [&] { return bench::make_problem(collective, Type::f64, Operator::sum, members, bytes, false); });
    if (!arguments.algorithm.empty()) {
        bench::check_known("--algorithm", arguments.algorithm,
                           bench::algorithm_names(std::array{collective}));
        bench::check_algorithm(arguments.algorithm, problem);
    }
    std::vector<Timeline> timelines = bench::parse_timelines(bench::as_asked("", [&] {
        return bench::traced_calls({.problem = problem, .algorithm = arguments.algorithm, .calls = calls});
    }));
    Timeline& timeline = timelines.front();
    timeline.name = name_of_measured(members);
    const std::uint64_t number = middle_call(timeline);
    for (trace::Lane& lane : timeline.lanes) {
        std::erase_if(lane.spans, [&](const trace::Span& span) { return span.number != number; });
    }
    begin_at_zero(timelines);
    return timelines;
}

Timeline predicted(const TraceArguments& arguments, Collective collective, int members, std::size_t bytes) {
    laboratory::PredictionQuery query{
        .collective = collective, .members = members, .bytes = {bytes}, .algorithms = {}};
    if (!arguments.algorithm.empty()) {
        query.algorithms = {arguments.algorithm};
    }
    const auto profile =
        bench::as_asked("--machine: ", [&] { return laboratory::find_line_profile(arguments.machine); });
    return bench::as_asked("", [&] { return laboratory::predicted_timeline(profile, query); });
}

/// The timelines of the requested call.
std::vector<Timeline> timelines_of_call(const TraceArguments& arguments) {
    if (arguments.subjects.size() != 1) {
        throw bench::UsageError(fmt::format("trace: \"{}\" is one word too many", arguments.subjects[1]));
    }
    const int members = arguments.members.value_or(TraceArguments::default_members);
    if (members < 2 || members > bench::most_members) {
        throw bench::UsageError(fmt::format("--members: {} is not in 2..{}", members, bench::most_members));
    }
    const Collective collective = bench::collective_named(arguments.subjects.front());
    const std::size_t bytes = collective == Collective::barrier ? 0 : bench::as_asked("--bytes: ", [&] {
        return bench::parse_bytes(arguments.bytes.value_or(TraceArguments::default_bytes));
    });
    if (arguments.machine.empty()) {
        return measured(arguments, collective, members, bytes);
    }
    return {predicted(arguments, collective, members, bytes)};
}

/// Rejects options of a collective, which would have no effect on a file.
void check_only_files(const TraceArguments& arguments) {
    const auto check = [&](bool is_given, const char* option) {
        if (is_given) {
            throw bench::UsageError(fmt::format("{}: {} has recorded calls, which it cannot change", option,
                                                arguments.subjects.front()));
        }
    };
    check(arguments.members.has_value(), "--members");
    check(arguments.bytes.has_value(), "--bytes");
    check(!arguments.algorithm.empty(), "--algorithm");
    check(!arguments.machine.empty(), "--machine");
}

/// These distinguish groups of several files.
std::vector<Timeline> timelines_in(const std::vector<std::string>& paths) {
    std::vector<Timeline> all;
    for (const std::string& path : paths) {
        std::vector<Timeline> of_file = bench::as_asked("", [&] { return bench::read_timelines(path); });
        begin_at_zero(of_file);
        if (paths.size() > 1) {
            for (Timeline& timeline : of_file) {
                timeline.name = fmt::format("{}: {}", path, timeline.name);
            }
        }
        std::ranges::move(of_file, std::back_inserter(all));
    }
    return all;
}

/// The writer of the format that the extension determines.
std::string (*format_of(const std::string& path))(std::span<const Timeline>) {
    const std::string extension = std::filesystem::path(path).extension();
    if (extension == ".pftrace") {
        return trace::perfetto;
    }
    if (extension == ".jsonl" || bench::is_stdout(path)) {
        return trace::json_lines;
    }
    throw bench::UsageError(fmt::format("--output: \"{}\" is no format that tutti traces in; there are JSON "
                                        "lines (.jsonl) and Perfetto's (.pftrace)",
                                        extension));
}

} // namespace

int run_report(const ReportArguments& arguments) {
    std::FILE* const out = bench::text_stream(std::array{arguments.output});
    const Subjects subjects = subjects_in(arguments.files);
    bench::check_writable("--output", arguments.output);
    fmt::print(out, "{}", bench::wrapped(findings_text(subjects), bench::width_of(out)));
    bench::deliver(arguments.output, page_text(subjects), out);
    return bench::exit_fine;
}

int run_trace(const TraceArguments& arguments) {
    std::FILE* const out = bench::text_stream(std::array{arguments.output, arguments.html});
    const auto format = arguments.output.empty() ? nullptr : format_of(arguments.output);
    const bool has_files = std::filesystem::path(arguments.subjects.front()).has_extension();
    if (has_files) {
        check_only_files(arguments);
    }
    const std::vector<Timeline> timelines =
        has_files ? timelines_in(arguments.subjects) : timelines_of_call(arguments);
    bench::check_writable("--output", arguments.output);
    bench::check_writable("--html", arguments.html);
    fmt::print(out, "{}", bench::wrapped(timeline_findings_text(timelines), bench::width_of(out)));
    if (format != nullptr) {
        bench::deliver(arguments.output, format(timelines), out);
    }
    if (!arguments.html.empty()) {
        bench::deliver(arguments.html, timeline_page(timelines), out);
    }
    return bench::exit_fine;
}

} // namespace tutti::viewer
