#include "mpirun/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace tutti::bench {

namespace {

/// Reads lines until the other end is closed. Returns false when it stays silent for too long.
bool pass_lines_on(int descriptor, double silence_seconds,
                   const std::function<void(const std::string&)>& on_line) {
    std::string pending;
    std::array<char, 4096> chunk{};
    for (;;) {
        pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
        const int ready = poll(&waiting, 1, static_cast<int>(silence_seconds * 1000));
        if (ready == 0) {
            return false;
        }
        if (ready < 0) {
            continue; // interrupted by a signal
        }
        const ssize_t length = read(descriptor, chunk.data(), chunk.size());
        if (length <= 0) {
            if (!pending.empty()) {
                on_line(pending);
            }
            return true;
        }
        pending.append(chunk.data(), static_cast<std::size_t>(length));
        for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
            on_line(pending.substr(0, end));
            pending.erase(0, end + 1);
        }
    }
}

/// Asks the process to end, then insists.
void end_process(pid_t pid) {
    constexpr int polite_tries = 50;
    kill(pid, SIGTERM);
    for (int i = 0; i < polite_tries; ++i) {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == pid) {
            return;
        }
        usleep(100'000);
    }
    kill(pid, SIGKILL);
}

int spawn(const std::vector<std::string>& command, int output, pid_t& pid) {
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str())); // posix_spawn does not write to them
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    const int error = posix_spawnp(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

} // namespace

ChildResult run_child(const std::vector<std::string>& command, double silence_seconds,
                      const std::function<void(const std::string& line)>& on_line) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return {.exit_code = -1, .failure = fmt::format("no pipe: {}", std::strerror(errno))};
    }
    pid_t pid = 0;
    const int error = spawn(command, ends[1], pid);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return {.exit_code = -1,
                .failure = fmt::format("cannot start {}: {}", command.front(), std::strerror(error))};
    }
    const bool talked = pass_lines_on(ends[0], silence_seconds, on_line);
    close(ends[0]);
    if (!talked) {
        end_process(pid);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!talked) {
        return {.exit_code = -1,
                .failure = fmt::format("{} made no progress for {} s", command.front(), silence_seconds)};
    }
    if (WIFSIGNALED(status)) {
        return {.exit_code = -1,
                .failure = fmt::format("{} was killed by signal {}", command.front(), WTERMSIG(status))};
    }
    const int code = WEXITSTATUS(status);
    return {.exit_code = code,
            .failure = code == 0 ? "" : fmt::format("{} ended with exit code {}", command.front(), code)};
}

} // namespace tutti::bench
