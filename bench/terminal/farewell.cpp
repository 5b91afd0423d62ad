#include "terminal/farewell.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <utility>

namespace tutti::bench {

namespace {

constexpr std::array ends{SIGINT, SIGTERM};

std::atomic<const char*> last_words = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

/// The signal is on its way once more, and no longer handled, when this returns.
void say_farewell(int signal) {
    const char* const words = last_words.load();
    if (words != nullptr) {
        [[maybe_unused]] const auto written = write(STDERR_FILENO, words, std::strlen(words));
    }
    raise(signal);
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN) {
        return;
    }
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
}

} // namespace

Farewell::Farewell(std::string words) {
    change(std::move(words));
    for (const int signal : ends) {
        handle(signal, say_farewell);
    }
}

Farewell::~Farewell() {
    for (const int signal : ends) {
        handle(signal, SIG_DFL);
    }
    last_words = nullptr;
}

void Farewell::change(std::string words) {
    last_words = all_words_.emplace_back(std::move(words)).c_str();
}

} // namespace tutti::bench
