#pragma once

#include "distance/line_profile.hpp"
#include "page/findings.hpp"
#include "record/timeline.hpp"
#include "report/results_file.hpp"
#include "survey/profile_json.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::viewer {

/// The content of one file, and its name.
struct NamedResults {
    std::string name;
    bench::Results results;
};

struct NamedProfile {
    std::string name;
    distance::MachineModel profile;
    std::optional<laboratory::Pairs> pairs;
};

/// The subjects of a report. The first results are the base of the comparisons.
struct Subjects {
    std::vector<NamedResults> results;
    std::vector<NamedProfile> profiles;
};

/// The report: an HTML file that needs no other. Texts of the subjects may have any characters.
std::string page_text(const Subjects& subjects);

/// The sentences that stand at the top of it, a line each.
std::string findings_text(const Subjects& subjects);

/// JSON that ends no element of HTML: no character of it is "<". Bytes that are not UTF-8 are replaced.
std::string embedded(const nlohmann::ordered_json& data);

/// [[tone, text]], as pages show them.
nlohmann::ordered_json listed(std::span<const Finding> findings);

/// The shell with the library that draws charts, and with data that are embedded().
std::string filled(std::string_view shell, const std::string& data);

/// How many samples a page has at most, of all points together: more would make it larger than 2 MB. Points
/// have then every k-th of their samples.
inline constexpr std::size_t most_page_samples = 100'000;

/// All sentences of a report: those on the first results, and on how the others differ from them.
std::vector<Finding> all_findings(const Subjects& subjects);

/// The data that the page's scripts draw, in JSON that ends no element of HTML: no character of it is "<". An
/// object of
///
/// - version, findings: [[tone, text]]
/// - files: name, schema, environment as in the file, facts: [[name, value]], fields and rows of the points,
///   drifts of their samples
/// - changes, for each file except the first: rows [index before, index after, change, p]
/// - profiles: name, title, topology, levels, cpus and one_way_ns in the machine's order, groups found in
/// them
std::string page_data(const Subjects& subjects);

/// Pages without their data: web/ in one file each. Data belong where `page_data_mark` stands, and the
/// library that draws charts where `charts_library_mark` does.
extern const std::string_view report_shell;
extern const std::string_view timeline_shell;
/// Empty if it was not there when this was built.
extern const std::string_view charts_library;

inline constexpr std::string_view page_data_mark = "{\"data\": \"here\"}";
inline constexpr std::string_view charts_library_mark = "charts-library";

/// A page with so many spans, in all its timelines together, stays below 2 MB.
constexpr std::size_t most_spans_of_page = 25'000;

/// Timelines below each other on one scale of time, in an HTML file that needs no other. Names may have any
/// characters. If there are too many spans, the last ones are kept, and the page reports it.
std::string timeline_page(std::span<const trace::Timeline> timelines);

/// The sentences that stand at the top of it, a line each.
std::string timeline_findings_text(std::span<const trace::Timeline> timelines);

} // namespace tutti::viewer
