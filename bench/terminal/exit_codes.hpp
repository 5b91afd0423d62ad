#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tutti::bench {

/// Exit codes of the command.
enum ExitCode : int { exit_fine = 0, exit_wrong = 1, exit_usage = 2, exit_regression = 3, exit_unfit = 4 };

/// The user requested something impossible; the message names the option and the alternatives.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Returns make(). An argument that it rejects becomes a UsageError, with `option`, such as "--placement: ",
/// before its text, unless that begins with the option's name already.
template <class Make>
auto as_asked(std::string_view option, Make make) {
    try {
        return make();
    } catch (const std::invalid_argument& error) {
        constexpr std::string_view dashes = "--";
        const std::string_view name = option.starts_with(dashes) ? option.substr(dashes.size()) : option;
        const std::string_view said = error.what();
        throw UsageError(
            std::string(option).append(said.starts_with(name) ? said.substr(name.size()) : said));
    }
}

/// The machine or its software does not support the request; the message names the missing part.
class EnvironmentUnfit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace tutti::bench
