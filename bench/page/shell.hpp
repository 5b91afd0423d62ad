#pragma once

#include <string_view>

namespace tutti::bench {

/// The page without its data: web/ in one file, with the charts' library where that was there when this was
/// built. Data belong where `page_data_mark` stands.
extern const std::string_view page_shell;

inline constexpr std::string_view page_data_mark = "{\"data\": \"here\"}";

} // namespace tutti::bench
