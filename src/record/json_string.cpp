#include "record/json_string.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace tutti::trace {

namespace {

/// The bytes of the character of UTF-8 that the text begins with, 0 if it begins with none: names of threads
/// are cut anywhere, and texts of exceptions can be in any encoding.
std::size_t character_bytes(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned lead = byte(0);
    const std::size_t bytes = lead < 0x80   ? 1
                              : lead < 0xC2 ? 0
                              : lead < 0xE0 ? 2
                              : lead < 0xF0 ? 3
                              : lead < 0xF5 ? 4
                                            : 0;
    if (bytes == 0 || bytes > text.size()) {
        return 0;
    }
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    // Longer than it need be, half of a pair, or beyond the last.
    const bool is_wrong =
        bytes > 2 && ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F));
    return is_wrong ? 0 : bytes;
}

} // namespace

std::string json_string(std::string_view text) {
    std::string made = "\"";
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        const auto code = static_cast<unsigned char>(text.front());
        if (bytes == 0) {
            made += "\\ufffd";
        } else if (code == '"' || code == '\\') {
            made += std::string("\\") + text.front();
        } else if (code < ' ') {
            char escaped[8];
            static_cast<void>(std::snprintf(escaped, sizeof escaped, "\\u%04x", code));
            made += escaped;
        } else {
            made += text.substr(0, bytes);
        }
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return made + '"';
}

} // namespace tutti::trace
