#include "wait/wait_timer.hpp"

#include "environment.hpp"
#include "option_values.hpp"

#include <string_view>

namespace tutti::library {

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

} // namespace

std::chrono::milliseconds timeout_or(Timeout given, const char* name, std::chrono::milliseconds otherwise) {
    return required(name, given).value_or(otherwise);
}

std::chrono::milliseconds timeout_of(Timeout given, const char* name) {
    constexpr const char* allowed = "a number of seconds above 0, such as 60 or 0.5, or never";
    return given ? timeout_or(given, name, never)
                 : environment_value<time_of_seconds>("TUTTI_TIMEOUT", allowed)
                       .value_or(std::chrono::milliseconds(0));
}

std::chrono::nanoseconds counted(std::chrono::nanoseconds before, std::chrono::nanoseconds now) noexcept {
    constexpr std::chrono::nanoseconds none{0};
    return before == none ? none : std::clamp(now - before, none, most_between_looks);
}

std::chrono::nanoseconds end_after(std::chrono::duration<double> time) noexcept {
    constexpr std::chrono::hours century{24 * 36525};
    return time < century ? clock_now() + std::chrono::duration_cast<std::chrono::nanoseconds>(time) : no_end;
}

void WaitTimer::look() noexcept {
    const std::chrono::nanoseconds now = clock_now();
    since_ = looked_.count() == 0 ? now : since_;
    waited_ += counted(looked_, now);
    looked_ = now;
}

std::string text_of_time(std::chrono::nanoseconds time) {
    using namespace std::chrono;
    const nanoseconds passed = std::max(time, nanoseconds(0));
    return passed < milliseconds(1) ? std::to_string(duration_cast<microseconds>(passed).count()) + " us"
                                    : text_of(duration_cast<milliseconds>(passed));
}

std::string text_of(std::chrono::milliseconds time) {
    return time.count() % 1000 == 0 && time.count() != 0 ? std::to_string(time.count() / 1000) + " s"
                                                         : std::to_string(time.count()) + " ms";
}

bool JoinTimeout::has_passed() noexcept {
    if (timeout_.count() == 0) {
        return false;
    }
    const std::chrono::nanoseconds now = clock_now();
    // Relaxed: each bit of time is counted once, by the member that looks next.
    const std::int64_t before = looked_ns_.exchange(now.count(), std::memory_order_relaxed);
    const std::int64_t passed = counted(std::chrono::nanoseconds(before), now).count();
    const std::int64_t waited = waited_ns_.fetch_add(passed, std::memory_order_relaxed) + passed;
    // Not in nanoseconds, of which the longest timeout has too many.
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(waited)) >=
           timeout_;
}

std::string advice_on_absence() {
    return "Every rank of a group must be joined by its own thread, at the "
           "same time. Check what limits the number of threads (num_threads, OMP_THREAD_LIMIT, nested "
           "regions, the size of a pool)";
}

} // namespace tutti::library
