#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace tutti::bench {

/// How a child process ended.
struct ChildResult {
    /// Its exit code; -1 when it was killed or could not be started.
    int exit_code = -1;
    /// Empty after exit code 0, else what happened.
    std::string failure;
};

/// Runs a program (looked up in PATH) until it ends, and passes on every line that it prints on either
/// stream. A program that prints nothing for `silence_seconds` is taken to hang and is ended.
ChildResult run_child(const std::vector<std::string>& command, double silence_seconds,
                      const std::function<void(const std::string& line)>& on_line);

/// A directory that disappears with its owner.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tutti-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("cannot make a directory " + pattern);
        }
        path_ = pattern;
    }
    ~TemporaryDirectory() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace tutti::bench
