#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tutti {

/// A text from outside (the name of a processor or of a thread) as printable ASCII: it cannot break a line.
inline std::string printable(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

/// A word of a file in a message, in quotation marks: no more of it than a reader can use.
inline std::string quoted_word(std::string_view word) {
    constexpr std::size_t most = 40;
    return "\"" + std::string(word.substr(0, most)) + (word.size() > most ? "...\"" : "\"");
}

} // namespace tutti
