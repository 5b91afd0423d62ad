#pragma once

#include "mpirun/child_process.hpp"

#include <string>
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

} // namespace tutti::test
