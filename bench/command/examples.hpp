#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// A line that a reader may copy.
struct Example {
    /// "" is `tutti` itself.
    std::string_view command;
    const char* line;
    /// The effect of the line.
    const char* text;
};

/// The examples of a command.
std::vector<Example> examples_of(std::string_view command);

/// The same under a heading, as --help shows them: empty, or ends without a newline.
std::string examples_text(std::string_view command);

} // namespace tutti::bench
