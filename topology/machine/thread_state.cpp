#include "machine/thread_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace tutti::machine {

namespace {

/// The fields after the name in a line of /proc/self/task/N/stat: the state is the first field.
constexpr int fields_before_cpu = 36;

int cpu_in(std::string_view fields) {
    for (int field = 0; field < fields_before_cpu; ++field) {
        const std::size_t blank = fields.find(' ');
        if (blank == std::string_view::npos) {
            return 0;
        }
        fields.remove_prefix(blank + 1);
    }
    return std::atoi(std::string(fields.substr(0, fields.find(' '))).c_str());
}

} // namespace

int this_thread() noexcept {
    static thread_local const int number = gettid();
    return number;
}

std::optional<ThreadState> thread_state(int thread) {
    const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    std::array<char, 1024> line{};
    const ssize_t bytes = read(file, line.data(), line.size());
    close(file);
    const std::string_view text(line.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    // "4711 (a name, which may hold anything) S 1 ..."
    const std::size_t open_bracket = text.find('(');
    const std::size_t close_bracket = text.rfind(')');
    if (close_bracket == std::string_view::npos || close_bracket + 2 >= text.size()) {
        return std::nullopt;
    }
    const std::string_view fields = text.substr(close_bracket + 2);
    return ThreadState{.name = std::string(text.substr(open_bracket + 1, close_bracket - open_bracket - 1)),
                       .state = fields.front(),
                       .cpu = cpu_in(fields)};
}

std::chrono::nanoseconds thread_cpu_time(int thread) noexcept {
    // The kernel's number of a thread's clock, as pthread_getcpuclockid() makes it of a pthread_t.
    constexpr unsigned clock_of_thread = 6;
    const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | clock_of_thread);
    timespec time{};
    if (clock_gettime(clock, &time) != 0) {
        return std::chrono::nanoseconds(-1);
    }
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace tutti::machine
