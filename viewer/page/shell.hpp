#pragma once

#include <string_view>

namespace tutti::viewer {

/// Pages without their data: web/ in one file each. Data belong where `page_data_mark` stands, and the
/// library that draws charts where `charts_library_mark` does.
extern const std::string_view report_shell;
extern const std::string_view timeline_shell;
/// Empty if it was not there when this was built.
extern const std::string_view charts_library;

inline constexpr std::string_view page_data_mark = "{\"data\": \"here\"}";
inline constexpr std::string_view charts_library_mark = "charts-library";

} // namespace tutti::viewer
