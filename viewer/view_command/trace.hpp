#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::viewer {

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
