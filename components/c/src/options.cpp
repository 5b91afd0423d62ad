#include "c/src/options.hpp"

#include "option_values.hpp"

#include <chrono>
#include <string_view>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::c {

namespace {

/// The enumerator that a TUTTI_... constant stands for.
template <class Enum>
Enum one_of(const char* function, const char* name, int value) {
    if (const std::string fault = engine::fault_of<Enum>(value); !fault.empty()) {
        refuse(function, std::string("`") + name + "`" + fault);
    }
    return static_cast<Enum>(value);
}

std::vector<int> levels_of(const char* function, const tutti_group_options& options) {
    if (options.levels == nullptr && options.level_count != 0) {
        refuse(function, "`options.levels` is a null pointer, but `options.level_count` is " +
                             std::to_string(options.level_count));
    }
    const std::span given = list(function, "options.levels", options.levels, options.level_count);
    return {given.begin(), given.end()};
}

std::string_view text_or_none(const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text);
}

} // namespace

Timeout timeout(std::int64_t milliseconds) {
    switch (milliseconds) {
    case TUTTI_TIMEOUT_DEFAULT:
        return {};
    case TUTTI_NEVER:
        return never;
    default:
        return std::chrono::milliseconds(milliseconds);
    }
}

Options call_options(const char* function, const tutti_call_options* given) {
    const auto options = known(function, given, tutti_call_options TUTTI_CALL_OPTIONS_INIT);
    return {.algorithm = text_or_none(options.algorithm),
            .order = one_of<Order>(function, "options.order", options.order),
            .timeout = timeout(options.timeout_ms),
            .where = {}};
}

GroupOptions group_options(const char* function, const tutti_group_options* given) {
    const auto options = known(function, given, tutti_group_options TUTTI_GROUP_OPTIONS_INIT);
    return {.wait = one_of<Wait>(function, "options.wait", options.wait),
            .tuning = std::string(text_or_none(options.tuning)),
            .join_timeout = timeout(options.join_timeout_ms),
            .timeout = timeout(options.timeout_ms),
            .levels = levels_of(function, options),
            .trace = one_of<Trace>(function, "options.trace", options.trace)};
}

void write_text(const char* function, const std::string& written, char* text, std::size_t bytes,
                std::size_t* length) {
    if (text == nullptr && bytes != 0) {
        refuse(function, "`text` is a null pointer, but `bytes` is " + std::to_string(bytes));
    }
    if (bytes != 0) {
        text[written.copy(text, bytes - 1)] = '\0';
    }
    if (length != nullptr) {
        *length = written.size();
    }
}

RollCallFormat roll_call_format(const char* function, int format) {
    return one_of<RollCallFormat>(function, "format", format);
}

Level level(const char* function, int level) {
    return one_of<Level>(function, "level", level);
}

TraceFormat trace_format(const char* function, int format) {
    return one_of<TraceFormat>(function, "format", format);
}

} // namespace tutti::inline TUTTI_NAMESPACE::c
