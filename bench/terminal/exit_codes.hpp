#pragma once

#include <stdexcept>
#include <string>

namespace tutti::bench {

/// Exit codes of the command.
enum ExitCode : int { exit_fine = 0, exit_wrong = 1, exit_usage = 2, exit_regression = 3, exit_unfit = 4 };

/// The user asked for something that cannot be; the message names the option and what would work.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What make() returns; an argument that it refuses is a UsageError, with `option` before what is said.
template <class Make>
auto as_asked(const char* option, Make make) {
    try {
        return make();
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string(option) + error.what());
    }
}

/// The machine or its software cannot do what was asked; the message says what is missing.
class EnvironmentUnfit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace tutti::bench
