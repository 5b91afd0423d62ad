#pragma once

#include <string>

namespace tutti::bench {

/// The content of a file that `writer` writes, as "`tutti bench --json` wrote". Throws std::invalid_argument
/// that names the file if it cannot be read.
std::string file_text(const std::string& path, const std::string& writer);

} // namespace tutti::bench
