#include "report.hpp"

#include "machine/process.hpp"
#include "no_cancellation.hpp"

#include <tutti/error.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tutti::v0_1 {

namespace {

/// A function that a program sets, and that any thread calls, without a lock: the function may wait for a
/// lock of the program, which another thread holds while it calls the library. Never destroyed, because there
/// are messages at the end of the process.
template <class Function>
class Settable {
public:
    static Settable& instance() {
        static Settable& made = *new Settable;
        return made;
    }

    /// `name` is that of the public function. Returns when no thread is in the function that was set before.
    void set(Function function, const char* name) {
        if (is_inside) {
            throw Error(std::string(name) + ": called by a function that " + name + "() has set");
        }
        is_made.store(true, std::memory_order_release); // pairs with call()
        auto before = std::make_unique<Installed>(std::move(function));
        {
            const std::scoped_lock lock(mutex_);
            std::swap(installed_, before);
        }
        constexpr std::chrono::microseconds between_looks{100};
        while (before != nullptr && is_called(*before)) {
            if (before->process != machine::this_process()) { // its callers are in the parent of this process
                static_cast<void>(before.release());
                break;
            }
            std::this_thread::sleep_for(between_looks);
        }
    }

    /// Calls it, and ignores its exceptions. Returns false if there is none, or this thread is in it.
    /// Allocates nothing: there may be no memory.
    template <class... Arguments>
    static bool call(Arguments... arguments) noexcept {
        if (is_inside || !is_made.load(std::memory_order_acquire)) { // pairs with set()
            return false;
        }
        Settable& made = instance();
        Installed* const installed = made.begin_call();
        if (installed == nullptr) {
            return false;
        }
        is_inside = true;
        try {
            installed->function(arguments...);
        } catch (...) { // there is nowhere to report it
        }
        is_inside = false;
        const std::scoped_lock lock(made.mutex_);
        --installed->callers;
        return true;
    }

private:
    struct Installed {
        explicit Installed(Function its_function) : function(std::move(its_function)) {}
        Function function;
        std::uint64_t process = machine::this_process();
        int callers = 0;
    };

    /// Null if there is no function.
    Installed* begin_call() {
        const std::scoped_lock lock(mutex_);
        if (installed_ == nullptr || !installed_->function) {
            return nullptr;
        }
        ++installed_->callers;
        return installed_.get();
    }
    bool is_called(const Installed& installed) {
        const std::scoped_lock lock(mutex_);
        return installed.callers != 0;
    }

    /// Whether the calling thread is in the function.
    static thread_local bool is_inside;
    /// Whether a function has been set, so that the object is there.
    static inline std::atomic<bool> is_made{false};

    /// Guards the pointer and the numbers of callers. Never held while the function is called.
    machine::ProcessMutex mutex_;
    std::unique_ptr<Installed> installed_;
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

} // namespace tutti::v0_1

namespace tutti {

void library::report(Severity severity, const char* text) noexcept {
    const NoCancellation until_the_end; // because the callers throw nothing
    if (!Settable<LogFunction>::call(severity, std::string_view(text))) {
        std::fprintf(stderr, "%s%s\n", severity == Severity::info ? "" : "tutti: ", text);
        std::fflush(stderr);
    }
}

void library::report_failure(int member, const char* text) noexcept {
    Settable<FailureFunction>::call(member, std::string_view(text));
}

} // namespace tutti
