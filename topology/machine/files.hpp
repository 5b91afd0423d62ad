#pragma once

#include <optional>
#include <string>

namespace tutti::machine {

/// The text of a file of the kernel's, without streams, which take longer than the file; nothing if the file
/// cannot be read.
std::optional<std::string> text_of_file(const std::string& path);

/// Its first line, of at most 4 KiB.
std::optional<std::string> line_of_file(const std::string& path);

} // namespace tutti::machine
