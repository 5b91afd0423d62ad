#pragma once

#include <functional>
#include <string>
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
ChildResult run_child(const std::vector<std::string>& command, int silence_seconds,
                      const std::function<void(const std::string& line)>& on_line);

} // namespace tutti::bench
