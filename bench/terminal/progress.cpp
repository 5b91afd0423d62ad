#include "terminal/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tutti::bench {

Progress::Progress(std::size_t steps, bool shown)
    : steps_(steps), shown_(shown), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::step(const std::string& stage, const std::string& detail) {
    ++begun_;
    if (!shown_) {
        return;
    }
    if (terminal_) {
        fmt::print(stderr, "\r\033[K[{:>3}/{}] {}, {}", begun_, steps_, stage, detail);
    } else if (stage != stage_) {
        fmt::print(stderr, "[{:>3}/{}] {}\n", begun_, steps_, stage);
    }
    stage_ = stage;
    std::fflush(stderr);
}

void Progress::clear() {
    if (shown_ && terminal_ && begun_ > 0) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
    }
}

} // namespace tutti::bench
