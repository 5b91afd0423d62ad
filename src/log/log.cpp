#include "log/log.hpp"

#include "machine/process.hpp"
#include "no_cancellation.hpp"

#include <tutti/error.hpp>

#include <cstdio>
#include <mutex>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE {

namespace {

/// Whether the calling thread is in the function.
thread_local bool is_reporting = false;

/// Never destroyed: there are messages at the end of the process.
struct Log {
    /// Held while the function is called.
    machine::ProcessMutex mutex;
    LogFunction function;

    static Log& instance() {
        static Log& made = *new Log;
        return made;
    }
};

void print(LogLevel level, const char* text) noexcept {
    std::fprintf(stderr, "%s%s\n", level == LogLevel::info ? "" : "tutti: ", text);
    std::fflush(stderr);
}

} // namespace

void set_log(LogFunction function) {
    if (is_reporting) {
        throw Error("set_log: called by a function that set_log() has set");
    }
    Log& log = Log::instance();
    const std::scoped_lock lock(log.mutex);
    std::swap(log.function, function);
    // The parameter, which is now the function before, ends after the lock.
}

} // namespace tutti::inline TUTTI_NAMESPACE

namespace tutti {

void engine::report(LogLevel level, const char* text) noexcept {
    const NoCancellation until_the_end; // because the callers throw nothing
    if (is_reporting) {                 // what the function has called reports something itself
        return print(level, text);
    }
    Log& log = Log::instance();
    const std::scoped_lock lock(log.mutex);
    if (!log.function) {
        return print(level, text);
    }
    is_reporting = true;
    try {
        log.function(level, text);
    } catch (...) { // there is nobody to tell
    }
    is_reporting = false;
}

} // namespace tutti
