#pragma once

#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdlib>
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

/// The value of an environment variable of Tutti, or nothing if it is not set, is empty, or must not be
/// trusted: a program with set-user-ID or capabilities has more rights than the user that sets its variables,
/// and some of them name files.
///
/// Variables are read when a group is made, and once per process in the case of TUTTI_ISA. The value is
/// copied at once, but the C library lets no other thread call setenv() meanwhile.
inline std::string environment_variable(const char* name) {
    const char* const value = secure_getenv(name);
    return value != nullptr ? value : "";
}

/// The value as `parse` returns it from the text, a std::optional: nothing if the variable is not set or
/// wrong.
///
/// A wrong value is ignored, because the group may be a static object, whose exception would end the program
/// before main(). The first wrong value of a process is logged; `advice` names correct ones.
template <auto parse>
auto environment_value(const char* name, const char* advice) {
    constexpr std::size_t most_shown = 200;
    const std::string text = environment_variable(name);
    decltype(parse(text)) value;
    if (!text.empty() && !(value = parse(text))) {
        static std::atomic_flag is_reported;
        if (!is_reported.test_and_set(std::memory_order_relaxed)) { // orders nothing
            library::report(Severity::warning, (std::string(name) + ": \"" + text.substr(0, most_shown) +
                                                "\" is ignored: use " + advice)
                                                   .c_str());
        }
    }
    return value;
}

/// The absolute path of a file, from the folder of the process at this time, whichever it changes to.
inline std::string absolute_path(const std::string& file) {
    std::array<char, PATH_MAX> folder{};
    const bool is_relative = !file.starts_with('/') && getcwd(folder.data(), folder.size()) != nullptr;
    return is_relative ? std::string(folder.data()) + "/" + file : file;
}

} // namespace tutti
