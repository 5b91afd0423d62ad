#include "view_command/report.hpp"

#include "page/page.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

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
        const auto is_same = [&](const std::string& other) {
            return std::filesystem::path(other).filename() == name;
        };
        names.push_back(std::ranges::count_if(paths, is_same) == 1 ? name : path);
    }
    return names;
}

Subjects subjects_in(const std::vector<std::string>& paths) {
    const std::vector<std::string> names = short_names(paths);
    Subjects subjects;
    try {
        for (std::size_t at = 0; at < paths.size(); ++at) {
            if (is_profile(paths[at])) {
                laboratory::MeasuredProfile measured = laboratory::read_measured_profile(paths[at]);
                subjects.profiles.push_back(
                    {names[at], std::move(measured.profile), std::move(measured.pairs)});
            } else {
                subjects.results.push_back({names[at], bench::read_json(paths[at])});
            }
        }
    } catch (const std::invalid_argument& error) {
        throw bench::UsageError(error.what());
    }
    return subjects;
}

} // namespace

int run_report(const ReportArguments& arguments) {
    std::FILE* const out = bench::text_stream(std::array{arguments.output});
    const Subjects subjects = subjects_in(arguments.files);
    bench::check_writable("--output", arguments.output);
    bench::write_output(arguments.output, page_text(subjects));
    fmt::print(out, "{}", bench::wrapped(findings_text(subjects), bench::width_of(out)));
    if (!bench::is_stdout(arguments.output)) {
        fmt::print(out, "wrote {}\n", arguments.output);
    }
    return bench::exit_fine;
}

} // namespace tutti::viewer
