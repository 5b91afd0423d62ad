#pragma once

#include "../std.hpp"
#include "mpirun/child_process.hpp"

namespace tutti::test {

struct Outcome {
    int exit_code = -1;
    std::string text;

    bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// Runs a program; the text is all that it prints.
inline Outcome run(const std::vector<std::string>& words) {
    Outcome outcome;
    constexpr int silence_seconds = 120;
    const bench::ChildResult result = bench::run_child(
        words, silence_seconds, [&](const std::string& line) { outcome.text += line + "\n"; });
    outcome.exit_code = result.exit_code;
    return outcome;
}

/// Runs the command with these arguments.
inline Outcome tutti_command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TUTTI_COMMAND);
    return run(arguments);
}

/// Runs a line of the shell, in which "$0" is the command.
inline Outcome shell(const std::string& line) {
    return run({"sh", "-c", line, TUTTI_COMMAND});
}

} // namespace tutti::test
