#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

/// How many letters have to be replaced, left out, put in or swapped with the next one to make one text of
/// the other: the restricted Damerau-Levenshtein distance (Damerau 1964).
inline std::size_t edits_between(std::string_view from, std::string_view to) {
    std::vector<std::size_t> before_last(to.size() + 1);
    std::vector<std::size_t> last(to.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::vector<std::size_t> row(to.size() + 1, i);
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last = std::move(last);
        last = std::move(row);
    }
    return last.back();
}

/// " (did you mean NAME?)" with the known name that takes the fewest edits, the first of several; empty where
/// that is more than a third of its letters. Names are strings or views of them.
template <class Names>
std::string did_you_mean(std::string_view text, const Names& known) {
    std::string_view nearest;
    std::size_t least = text.size() + 1;
    for (const std::string_view name : known) {
        const std::size_t edits = edits_between(text, name);
        if (edits < least && 3 * edits <= std::max(name.size(), text.size())) {
            nearest = name;
            least = edits;
        }
    }
    return nearest.empty() ? "" : " (did you mean " + std::string(nearest) + "?)";
}

} // namespace tutti::bench
