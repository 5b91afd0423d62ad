#pragma once

#include <string>

namespace tutti::bench {

/// What is in a file that `writer` writes, as "`tutti bench --json` wrote". Throws std::invalid_argument that
/// names the file where it cannot be read.
std::string file_text(const std::string& path, const std::string& writer);

} // namespace tutti::bench
