#include "log/log.hpp"

#include "machine/process.hpp"

#include <tutti/error.hpp>

#include <pthread.h>

#include <cstdio>
#include <mutex>
#include <utility>

namespace tutti {

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

/// No thread is ended while it reports: that would unwind the stack through code that throws nothing.
class NoCancellation {
public:
    NoCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
    NoCancellation(const NoCancellation&) = delete;
    NoCancellation& operator=(const NoCancellation&) = delete;
    NoCancellation(NoCancellation&&) = delete;
    NoCancellation& operator=(NoCancellation&&) = delete;

private:
    int before_ = 0;
};

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

void engine::report(LogLevel level, const char* text) noexcept {
    const NoCancellation until_the_end;
    if (is_reporting) { // what the function has called reports something itself
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
