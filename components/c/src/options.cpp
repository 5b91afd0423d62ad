#include "c/src/options.hpp"

#include <tutti/group.hpp>
#include <tutti/observe.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <string_view>
#include <vector>

namespace tutti::v0_1::c_api {

namespace {

/// A failure on a thread.
struct Noted {
    std::string text;
    ErrorContext context;
    /// For lack of memory for the text.
    const char* shown = "";
    tutti_status status = TUTTI_OK;
    /// Counts the failures of the thread; 0: none.
    std::uint64_t number = 0;
};

constexpr std::size_t library_statuses = TUTTI_COMBINATION_ERROR + 1;

/// The failures on a thread: the last one of each status of the library, and the last one of all others.
class Failures {
public:
    static Failures& here() {
        static thread_local Failures failures;
        return failures;
    }

    Noted& of(tutti_status status) {
        const bool is_own = status <= TUTTI_OK || static_cast<std::size_t>(status) >= library_statuses;
        return by_status_[is_own ? 0 : static_cast<std::size_t>(status)];
    }
    Noted& last() { return of(last_status_); }
    std::uint64_t number() const { return number_; }

    Noted& add(tutti_status status) {
        last_status_ = status;
        Noted& noted = of(status);
        noted.status = status;
        noted.number = ++number_;
        return noted;
    }

private:
    std::array<Noted, library_statuses> by_status_;
    tutti_status last_status_ = TUTTI_OK;
    std::uint64_t number_ = 0;
};

tutti_status note(tutti_status status, const char* text, const ErrorContext& context = {}) {
    Noted& failure = Failures::here().add(status);
    failure.context = context;
    try {
        failure.text = text;
        failure.shown = failure.text.c_str();
    } catch (const std::bad_alloc&) {
        failure.shown = "out of memory, also for the text of a failure";
    }
    return status;
}

tutti_status note(tutti_status status, const Error& error) {
    return note(status, error.what(), error.context());
}

/// By status.
constexpr std::array status_texts{
    "TUTTI_OK: the call has succeeded",
    "TUTTI_ARGUMENT_ERROR: an argument of the call is wrong, and the call has had no effect",
    "TUTTI_MISMATCH_ERROR: the members are in different calls, or in the same call with different arguments",
    "TUTTI_ABORTED: the call has ended because another member failed",
    "TUTTI_ERROR: the library has reported an error that has no status of its own",
    "TUTTI_NO_MEMORY: there is not enough memory",
    "TUTTI_FOREIGN_ERROR: C++ code that the library called, such as an operator, has thrown an exception",
    "TUTTI_TIMEOUT_ERROR: a call of some member has waited longer than its timeout",
    "TUTTI_COMBINATION_ERROR: the arguments of the members do not fit together; all members return it"};
static_assert(status_texts.size() == library_statuses);

std::vector<int> levels_of(const char* function, const tutti_group_options& options) {
    if (options.levels == nullptr && options.level_count != 0) {
        refuse(function, "`options.levels` is a null pointer, but `options.level_count` is " +
                             std::to_string(options.level_count));
    }
    const std::span given = list(function, "options.levels", options.levels, options.level_count);
    return {given.begin(), given.end()};
}

} // namespace

tutti_status noted() {
    if (std::current_exception() == nullptr) {
        throw; // pthread_exit(), pthread_cancel()
    }
    try {
        throw;
    } catch (const StatusError& error) {
        return note(error.status(), error);
    } catch (const ArgumentError& error) {
        return note(TUTTI_ARGUMENT_ERROR, error);
    } catch (const CombinationError& error) {
        return note(TUTTI_COMBINATION_ERROR, error);
    } catch (const MismatchError& error) {
        return note(TUTTI_MISMATCH_ERROR, error);
    } catch (const Aborted& error) {
        return note(TUTTI_ABORTED, error);
    } catch (const TimeoutError& error) {
        return note(TUTTI_TIMEOUT_ERROR, error);
    } catch (const Error& error) {
        return note(TUTTI_ERROR, error);
    } catch (const std::bad_alloc&) {
        return note(TUTTI_NO_MEMORY, "out of memory");
    } catch (const std::exception& exception) {
        return note(TUTTI_FOREIGN_ERROR, exception.what());
    } catch (...) {
        return note(TUTTI_FOREIGN_ERROR, "an exception that is not a std::exception");
    }
}

std::uint64_t failures_noted() {
    return Failures::here().number();
}

void throw_status(tutti_status status, const std::string& whose, std::uint64_t before) {
    const Noted& noted = Failures::here().of(status);
    const bool is_told = noted.number > before && noted.status == status;
    const std::string text = is_told ? noted.shown : whose + " has returned " + std::to_string(status);
    const ErrorContext context = is_told ? noted.context : ErrorContext{};
    switch (status) {
    case TUTTI_ARGUMENT_ERROR:
        throw ArgumentError(text, context);
    case TUTTI_COMBINATION_ERROR:
        throw CombinationError(text, context);
    case TUTTI_MISMATCH_ERROR:
        throw MismatchError(text, context);
    case TUTTI_ABORTED:
        throw Aborted(text, context);
    case TUTTI_TIMEOUT_ERROR:
        throw TimeoutError(text, context);
    case TUTTI_NO_MEMORY:
        throw std::bad_alloc();
    default:
        throw StatusError(status, text, context);
    }
}

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

const char* fault_of(const void* given, std::size_t known) {
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > 4096) {
        return "`options.size` is wrong: initialise options with their TUTTI_..._OPTIONS_INIT";
    }
    const std::span bytes(static_cast<const char*>(given), size);
    const bool is_newer = std::ranges::any_of(bytes.subspan(std::min(known, size)), std::identity());
    return is_newer ? "`options` sets a member that this version of the library does not support" : nullptr;
}

GroupOptions group_options(const char* function, const tutti_group_options* given) {
    const auto options = known(function, given, tutti_group_options TUTTI_GROUP_OPTIONS_INIT);
    return {.wait = one_of<Wait>(function, "options.wait", options.wait),
            .tuning = std::string(text_or_none(options.tuning)),
            .join_timeout = timeout(options.join_timeout_ms),
            .timeout = timeout(options.timeout_ms),
            .report_after = timeout(options.report_after_ms),
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

} // namespace tutti::v0_1::c_api

using namespace tutti;

const char* tutti_status_text(tutti_status status) {
    constexpr int first_of_programs = 100;
    if (status >= 0 && status < static_cast<int>(c_api::status_texts.size())) {
        return c_api::status_texts[static_cast<std::size_t>(status)];
    }
    return status < first_of_programs ? "unknown status: this version of the library has no such number"
                                      : "a status of the program's own, which one of its functions returned";
}

const char* tutti_error_text(void) {
    return c_api::Failures::here().last().shown;
}

tutti_status tutti_last_error(tutti_error_info* info) {
    return c_api::guarded([&] {
        const std::size_t size = c_api::there("last_error", "info", info).size;
        if (size < sizeof(std::size_t) || size > 4096) {
            c_api::refuse("last_error", "`info.size` is " + std::to_string(size) +
                                            ": initialise it with TUTTI_ERROR_INFO_INIT");
        }
        const ErrorContext& context = c_api::Failures::here().last().context;
        const tutti_error_info known{size,
                                     context.rank,
                                     context.peer,
                                     context.operation,
                                     context.collective ? to_string(*context.collective).data()
                                                        : nullptr, // a literal
                                     context.where.file,
                                     context.where.line};
        std::memcpy(info, &known, std::min(size, sizeof known));
    });
}

tutti_status tutti_set_log(tutti_log_function function, void* user) {
    return c_api::guarded([&] {
        set_log(function == nullptr ? LogFunction()
                                    : [function, user](Severity severity, std::string_view text) {
                                          function(static_cast<int>(severity), text.data(), user);
                                      });
    });
}

tutti_status tutti_set_failure_hook(tutti_failure_function function, void* user) {
    return c_api::guarded([&] {
        set_failure_hook(function == nullptr ? FailureFunction()
                                             : [function, user](int member, std::string_view text) {
                                                   function(member, text.data(), user);
                                               });
    });
}

tutti_status tutti_save_tuning(const char* path) {
    return c_api::guarded([&] { save_tuning(&c_api::there("save_tuning", "path", path)); });
}

int tutti_version(void) {
    return tutti::version();
}
