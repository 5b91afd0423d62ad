#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::viewer {

/// The options of `tutti report` as they are typed.
struct ReportArguments {
    std::vector<std::string> files;
    std::string output = "report.html";
};

/// `tutti report`: one HTML file on what `tutti bench --json` and `tutti measure` have written. Prints what
/// stands out. Returns the exit code. Throws UsageError if a file is neither.
int run_report(const ReportArguments& arguments);

/// The options of `tutti trace` as they are typed.
struct TraceArguments {
    /// A collective, or files of JSON lines.
    std::vector<std::string> subjects;
    /// For a collective; without a value `default_members` and `default_bytes`.
    std::optional<int> members;
    std::optional<std::string> bytes;
    /// Empty: the library's choice, or of what is predicted the one that takes least.
    std::string algorithm;
    /// The machine for which the call is predicted; empty: it is measured here.
    std::string machine;
    /// JSON lines or Perfetto's format, by its extension; empty: neither.
    std::string output;
    std::string html;

    static constexpr int default_members = 8;
    static constexpr const char* default_bytes = "1M";
};

/// `tutti trace`: what members do and when, in one call that is measured or predicted or in those of a
/// program, as a file, and as a page for a browser. Returns the exit code. Throws UsageError, and
/// EnvironmentUnfit when an output cannot be written.
int run_trace(const TraceArguments& arguments);

} // namespace tutti::viewer
