#pragma once

#include <string>
#include <string_view>

namespace tutti::trace {

/// The text as a string of JSON, with its quotation marks. Bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);

} // namespace tutti::trace
