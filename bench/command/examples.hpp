#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tutti::bench {

/// A line that a reader may copy.
struct Example {
    const char* line;
    /// What it does.
    const char* text;
};

/// Those of a command; "" is `tutti` itself. Empty where there are none.
std::span<const Example> examples_of(std::string_view command);

/// The same under a heading, as --help shows them: empty, or ends without a newline.
std::string examples_text(std::string_view command);

} // namespace tutti::bench
