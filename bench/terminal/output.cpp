#include "terminal/output.hpp"

#include "terminal/exit_codes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace tutti::bench {

bool is_stdout(const std::string& path) {
    return path == "-";
}

std::FILE* text_stream(std::span<const std::string> paths) {
    const auto count = std::ranges::count_if(paths, is_stdout);
    if (count > 1) {
        throw UsageError("only one output can go to stdout (-); name a file for the others");
    }
    return count == 0 ? stdout : stderr;
}

void check_writable(const char* option, const std::string& path) {
    if (path.empty() || is_stdout(path)) {
        return;
    }
    std::error_code error;
    const bool is_new = !std::filesystem::exists(path, error);
    if (!std::ofstream(path, std::ios::app)) {
        throw UsageError(fmt::format("{}: cannot write {}", option, path));
    }
    if (is_new) {
        std::filesystem::remove(path, error);
    }
}

void write_output(const std::string& path, const std::string& text) {
    if (is_stdout(path)) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        flush(stdout);
        return;
    }
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!(file << text).flush()) {
        throw EnvironmentUnfit("cannot write " + path);
    }
}

void replace_file(const std::string& path, const std::string& text) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
        write_output(path, text);
        return;
    }
    const std::string part = path + ".part";
    write_output(part, text);
    std::filesystem::rename(part, path, error);
    if (error) {
        throw EnvironmentUnfit(fmt::format("cannot write {}: {}", path, error.message()));
    }
}

void flush(std::FILE* stream) {
    errno = 0;
    if (std::fflush(stream) != 0 || std::ferror(stream) != 0) {
        const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
        throw EnvironmentUnfit(
            fmt::format("cannot write to {}{}", stream == stdout ? "stdout" : "stderr", why));
    }
}

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
