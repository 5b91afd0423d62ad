#include "wait/time_limit.hpp"

#include "environment.hpp"
#include "option_values.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::engine {

namespace {

/// "60", "0.5" or "never"; empty if the text is none of these. Not strtod(), which accepts more, and takes
/// the decimal point from the locale; nor from_chars(), which libc++ 19 lacks for numbers with a fraction.
Timeout time_of_seconds(const std::string& text) {
    constexpr std::string_view digits = "0123456789";
    if (text == "never") {
        return never;
    }
    const std::size_t point = text.find_first_not_of(digits);
    const bool has_fraction = point != std::string::npos && text[point] == '.' && point + 1 != text.size() &&
                              text.find_first_not_of(digits, point + 1) == std::string::npos;
    if (point == 0 || (point != std::string::npos && !has_fraction)) {
        return {};
    }
    double number = 0;
    double unit = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i != point) {
            number = 10 * number + (text[i] - '0');
            unit *= i > point ? 10 : 1;
        }
    }
    const std::chrono::duration<double> seconds(number / unit);
    return seconds.count() > 0 ? Timeout(seconds) : Timeout();
}

std::chrono::milliseconds from_environment() {
    return environment_value<time_of_seconds>("TUTTI_TIMEOUT",
                                              "a number of seconds above 0, such as 60 or 0.5, or never")
        .value_or(std::chrono::milliseconds(0));
}

} // namespace

std::chrono::milliseconds timeout_or(Timeout given, const char* name, std::chrono::milliseconds otherwise) {
    return required(name, given).value_or(otherwise);
}

std::chrono::milliseconds timeout_of(Timeout given, const char* name) {
    return given ? timeout_or(given, name, never) : from_environment();
}

} // namespace tutti::engine
