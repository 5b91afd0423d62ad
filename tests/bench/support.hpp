#pragma once

#include "mpirun/child_process.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace tutti::test {

struct Outcome {
    int exit_code = -1;
    std::string text;

    bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// Runs the command with these arguments; the text is all that it prints.
inline Outcome tutti_command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TUTTI_COMMAND);
    Outcome outcome;
    constexpr int silence_seconds = 120;
    const bench::ChildResult result = bench::run_child(
        arguments, silence_seconds, [&](const std::string& line) { outcome.text += line + "\n"; });
    outcome.exit_code = result.exit_code;
    return outcome;
}

/// A directory that disappears with its owner.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tutti-test-XXXXXX").string();
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

    std::string path(const std::string& name) const { return (path_ / name).string(); }

    /// Returns the path of the file.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return path(name);
    }

private:
    std::filesystem::path path_;
};

} // namespace tutti::test
