#include "diagnose/roll_call.hpp"
#include "environment.hpp"
#include "record/recorder.hpp"
#include "report.hpp"

#include <pthread.h>
#include <semaphore.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace tutti::library {

namespace {

struct Request {
    int signal;
    RollCallFormat format;
};

int signal_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, int>, 8> names{{{"USR1", SIGUSR1},
                                                                            {"USR2", SIGUSR2},
                                                                            {"QUIT", SIGQUIT},
                                                                            {"HUP", SIGHUP},
                                                                            {"ALRM", SIGALRM},
                                                                            {"VTALRM", SIGVTALRM},
                                                                            {"PWR", SIGPWR},
                                                                            {"WINCH", SIGWINCH}}};
    for (const auto& [known, number] : names) {
        if (name == known || name == std::string("SIG") + std::string(known)) {
            return number;
        }
    }
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size() && number > 0 && number < NSIG ? number
                                                                                                   : 0;
}

std::optional<Request> request_named(std::string_view name) {
    const bool as_json = name.ends_with(",json");
    name.remove_suffix(as_json ? std::string_view(",json").size() : 0);
    const int signal = signal_named(name);
    if (signal == 0 || signal == SIGKILL || signal == SIGSTOP) {
        return std::nullopt;
    }
    return Request{signal, as_json ? RollCallFormat::json : RollCallFormat::text};
}

/// A handler may do hardly more than this; the called object must outlive everything.
sem_t* wanted = nullptr;

void want(int /*signal*/) {
    const int error = errno;
    sem_post(wanted);
    errno = error;
}

} // namespace

/// Those whose roll calls are wanted, and the thread that writes them. Never destroyed: a signal may come at
/// the end of the program.
class Signalled {
public:
    static Signalled& instance() {
        static Signalled& made = *new Signalled;
        return made;
    }

    void add(RollCallListed& listed, const Request& request) {
        const char* warning = nullptr;
        {
            const std::scoped_lock lock(mutex_);
            warning = begin(request);
            listed.process_ = machine::this_process();
            listed.place_ = all_.insert(all_.end(), &listed);
        }
        if (warning != nullptr) {
            report(Severity::warning, warning);
        }
    }
    void remove(const RollCallListed& listed) {
        std::unique_lock ended(listed.calling_, std::defer_lock);
        if (listed.process_ == machine::this_process()) { // else the thread that may hold it is elsewhere
            ended.lock();
        }
        const std::scoped_lock lock(mutex_);
        all_.erase(listed.place_);
    }

private:
    /// Returns why there will be no roll calls, or null.
    const char* begin(const Request& request) {
        if (has_begun_ && process_ == machine::this_process()) {
            return nullptr;
        }
        has_begun_ = true;
        process_ = machine::this_process(); // a child of fork() has the handler, but no thread
        struct sigaction before = {};
        sigaction(request.signal, nullptr, &before);
        if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN && before.sa_handler != want) {
            return "TUTTI_ROLL_CALL: the program, or another copy of this library, handles that signal: "
                   "this copy writes no roll calls; choose another signal";
        }
        sem_init(&wanted_, 0, 0);
        wanted = &wanted_;
        if (!start_thread(request.format)) {
            return "TUTTI_ROLL_CALL: the system gives no thread for roll calls";
        }
        struct sigaction action = {};
        action.sa_handler = want;
        action.sa_flags = SA_RESTART;
        sigaction(request.signal, &action, nullptr);
        return nullptr;
    }

    /// No signal of the program's is for it.
    bool start_thread(RollCallFormat format) {
        sigset_t all;
        sigset_t own;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &own);
        bool is_there = true;
        try {
            std::thread([this, format] { serve(format); }).detach();
        } catch (const std::system_error&) {
            is_there = false;
        }
        pthread_sigmask(SIG_SETMASK, &own, nullptr);
        return is_there;
    }

    [[noreturn]] void serve(RollCallFormat format) noexcept {
        pthread_setname_np(pthread_self(), "tutti-roll-call");
        for (;;) {
            if (sem_wait(&wanted_) != 0) {
                continue;
            }
            try {
                report(Severity::info, roll_calls(format).c_str());
                write_trace_file();
            } catch (const std::bad_alloc&) {
                report(Severity::error, "roll call: there is no memory");
            }
        }
    }

    /// The roll calls of all groups; for tools one array.
    ///
    /// None is called under the lock of the list. A roll call may turn out to be the last owner of another
    /// group, whose end takes that lock; and groups are made and ended while a roll call takes long.
    std::string roll_calls(RollCallFormat format) {
        const bool as_json = format == RollCallFormat::json;
        std::string text;
        std::unique_lock lock(mutex_);
        for (const RollCallListed* const each : all_) {
            if (each->process_ != process_) {
                continue;
            }
            const std::unique_lock calling(each->calling_, std::try_to_lock);
            if (!calling) {
                continue; // it is about to end
            }
            lock.unlock(); // the thread that ends this one waits, so that its place in the list stays
            std::string called = each->roll_call_(format);
            lock.lock();
            text += (as_json && !text.empty() ? "," : "") + std::move(called);
        }
        if (as_json) {
            return "[" + text + "]";
        }
        if (text.empty()) {
            return "roll call: there is no group";
        }
        text.pop_back(); // the end of the last line
        return text;
    }

    machine::ProcessMutex mutex_;
    std::list<const RollCallListed*> all_;
    bool has_begun_ = false;
    std::uint64_t process_ = 0;
    sem_t wanted_{};
};

RollCallListed::RollCallListed(std::function<std::string(RollCallFormat)> roll_call)
    : roll_call_(std::move(roll_call)) {
    if (const auto request =
            environment_value<request_named>("TUTTI_ROLL_CALL", "a signal: USR1, or USR1,json for tools")) {
        Signalled::instance().add(*this, *request);
        is_listed_ = true;
    }
}

RollCallListed::~RollCallListed() {
    if (is_listed_) {
        Signalled::instance().remove(*this);
    }
}

} // namespace tutti::library
