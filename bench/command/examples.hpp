#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti::bench {

/// A line that a reader may copy.
struct Example {
    const char* line;
    /// The effect of the line.
    const char* text;
};

/// The examples of a command; "" is `tutti` itself. Empty if there are none.
std::span<const Example> examples_of(std::string_view command);

/// The same under a heading, as --help shows them: empty, or ends without a newline.
std::string examples_text(std::string_view command);

} // namespace tutti::bench
