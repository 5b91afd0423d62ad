#pragma once

#include "measure/point.hpp"
#include "record/timeline.hpp"
#include "report/environment.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

namespace tutti::bench {

/// The content of a file that `writer` writes, as "`tutti bench --json` wrote". Throws std::invalid_argument
/// that names the file if it cannot be read.
std::string file_text(const std::string& path, const std::string& writer);

/// The value of `schema` in the JSON file. It changes with the fields of a point.
inline constexpr const char* json_schema = "tutti-bench-3";

/// `environment` as a file has it. It may hold what is no UTF-8, such as names of files.
std::string text_of(const nlohmann::json& environment);

/// The JSON file: one object with schema, whether these are all requested points, environment and points.
std::string json_text(const nlohmann::json& environment, std::span<const Point> points,
                      bool is_complete = true);

/// The content read from such a file.
struct Results {
    /// False if the run was interrupted.
    bool is_complete = true;
    /// As in the file, in JSON.
    std::string environment;
    std::vector<Circumstance> circumstances;
    std::vector<Point> points;
};

/// Throws std::invalid_argument with the name and the fault of the file: it is not there, is a folder, cannot
/// be read, is no JSON, is none of `tutti bench`, has another schema, or has a damaged point.
Results read_json(const std::string& path);

/// The timelines in JSON lines, as trace::json_lines() writes them: a line a span, groups in the order in
/// which they first appear, members by rank. Throws std::invalid_argument that names the line which is none,
/// and where there is no span.
std::vector<trace::Timeline> parse_timelines(const std::string& text);

/// The same of a file, which is named in what is thrown.
std::vector<trace::Timeline> read_timelines(const std::string& path);

} // namespace tutti::bench
