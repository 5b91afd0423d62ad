#pragma once

#include <stdexcept>

namespace tutti::bench {

/// Exit codes of the command.
enum ExitCode : int { exit_fine = 0, exit_wrong = 1, exit_usage = 2, exit_regression = 3, exit_unfit = 4 };

/// The user asked for something that cannot be; the message names the option and what would work.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The machine or its software cannot do what was asked; the message says what is missing.
class EnvironmentUnfit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace tutti::bench
