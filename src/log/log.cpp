#include "log/log.hpp"

#include "machine/process.hpp"
#include "no_cancellation.hpp"

#include <tutti/error.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE {

namespace {

/// A function that a program sets, and that any thread calls. Never destroyed, because there are messages at
/// the end of the process.
template <class Function>
class Settable {
public:
    static Settable& instance() {
        static Settable& made = *new Settable;
        return made;
    }

    /// `name` is that of the public function.
    void set(Function function, const char* name) {
        if (is_inside) {
            throw Error(std::string(name) + ": called by a function that " + name + "() has set");
        }
        is_made.store(true, std::memory_order_release); // pairs with call()
        const std::scoped_lock lock(mutex_);
        std::swap(function_, function);
        // The parameter, which is now the function before, ends after the lock.
    }

    /// Calls it, and ignores its exceptions. Returns false if there is none, or this thread is in it.
    /// Allocates nothing: there may be no memory.
    template <class... Arguments>
    static bool call(Arguments... arguments) noexcept {
        if (is_inside || !is_made.load(std::memory_order_acquire)) { // pairs with set()
            return false;
        }
        Settable& made = instance();
        const std::scoped_lock lock(made.mutex_);
        if (!made.function_) {
            return false;
        }
        is_inside = true;
        try {
            made.function_(arguments...);
        } catch (...) { // there is nowhere to report it
        }
        is_inside = false;
        return true;
    }

private:
    /// Whether the calling thread is in the function.
    static thread_local bool is_inside;
    /// Whether a function has been set, so that the object is there.
    static inline std::atomic<bool> is_made{false};

    /// Held while the function is called.
    machine::ProcessMutex mutex_;
    Function function_;
};

template <class Function>
thread_local bool Settable<Function>::is_inside = false;

} // namespace

void set_log(LogFunction function) {
    Settable<LogFunction>::instance().set(std::move(function), "set_log");
}

void set_failure_hook(FailureFunction function) {
    Settable<FailureFunction>::instance().set(std::move(function), "set_failure_hook");
}

} // namespace tutti::inline TUTTI_NAMESPACE

namespace tutti {

void engine::report(LogLevel level, const char* text) noexcept {
    const NoCancellation until_the_end; // because the callers throw nothing
    if (!Settable<LogFunction>::call(level, std::string_view(text))) {
        std::fprintf(stderr, "%s%s\n", level == LogLevel::info ? "" : "tutti: ", text);
        std::fflush(stderr);
    }
}

void engine::report_failure(int member, const char* text) noexcept {
    Settable<FailureFunction>::call(member, std::string_view(text));
}

} // namespace tutti
