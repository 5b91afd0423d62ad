#pragma once

#include "page/findings.hpp"

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>

namespace tutti::viewer {

/// JSON that ends no element of HTML: no character of it is "<". Bytes that are not UTF-8 are replaced.
std::string embedded(const nlohmann::ordered_json& data);

/// [[tone, text]], as pages show them.
nlohmann::ordered_json listed(std::span<const Finding> findings);

/// The shell with the library that draws charts, and with data that are embedded().
std::string filled(std::string_view shell, const std::string& data);

} // namespace tutti::viewer
