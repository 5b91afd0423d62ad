#include "wait/time_limit.hpp"

#include "environment.hpp"

#include <tutti/error.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

namespace tutti::engine {

namespace {

/// Longer ones are as good as none.
constexpr double most_seconds = 1e9;

std::chrono::milliseconds from_environment() {
    const std::string text = environment_variable("TUTTI_TIMEOUT");
    if (text.empty()) {
        return {};
    }
    if (text == "never") {
        return never;
    }
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(seconds > 0)) {
        throw ArgumentError("TUTTI_TIMEOUT: \"" + text +
                            "\" is not a number of seconds above 0; use 60, 0.5, or never");
    }
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(std::ceil(1000 * std::min(seconds, most_seconds))));
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
