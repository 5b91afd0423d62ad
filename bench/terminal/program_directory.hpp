#pragma once

#include <filesystem>
#include <system_error>

namespace tutti::bench {

/// The directory of the running program, which also has the programs and objects that it starts or loads.
/// Empty when the system does not report it.
inline std::filesystem::path program_directory() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

} // namespace tutti::bench
