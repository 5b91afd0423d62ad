#include "wait/time_limit.hpp"

#include "environment.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

namespace tutti::engine {

namespace {

/// Longer ones are as good as none.
constexpr double most_seconds = 1e9;

std::optional<std::chrono::milliseconds> time_of_seconds(const std::string& text) {
    if (text == "never") {
        return never;
    }
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(seconds > 0)) {
        return std::nullopt;
    }
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(std::ceil(1000 * std::min(seconds, most_seconds))));
}

std::chrono::milliseconds from_environment() {
    return environment_value<time_of_seconds>("TUTTI_TIMEOUT",
                                              "a number of seconds above 0, such as 60 or 0.5, or never")
        .value_or(std::chrono::milliseconds(0));
}

} // namespace

std::chrono::milliseconds timeout_or(const Timeout& given, const char* name,
                                     std::chrono::milliseconds otherwise) {
    if (given && given->count() <= 0) {
        throw ArgumentError(std::string(name) + " is " + std::to_string(given->count()) +
                            " ms, must be positive, or never (tutti::never, TUTTI_NEVER)");
    }
    return given.value_or(otherwise);
}

std::chrono::milliseconds timeout_of(const Timeout& given, const char* name) {
    return given ? timeout_or(given, name, never) : from_environment();
}

} // namespace tutti::engine
