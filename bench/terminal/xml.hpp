#pragma once

#include <string>
#include <string_view>

namespace tutti::bench {

/// The text as an element of XML holds it: three characters are XML's own.
inline std::string xml_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    }
    return result;
}

} // namespace tutti::bench
