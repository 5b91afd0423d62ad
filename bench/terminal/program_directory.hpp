#pragma once

#include <filesystem>
#include <system_error>

namespace tutti::bench {

/// Where the program that runs lies, and beside it what it starts or loads. Empty when the system does not
/// say.
inline std::filesystem::path program_directory() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

} // namespace tutti::bench
