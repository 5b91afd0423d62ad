#include "terminal/output.hpp"
#include "terminal/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace tutti::bench {

Progress::Progress(std::size_t steps, bool shown)
    : steps_(steps), shown_(shown), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::step(const std::string& stage, const std::string& detail) {
    ++begun_;
    if (!shown_) {
        return;
    }
    const std::string count = fmt::format("[{:>3}/{}] ", begun_, steps_);
    if (terminal_) {
        // A line that is broken could not be rewritten.
        const std::string line = fmt::format("{}{}, {}", count, stage, detail);
        fmt::print(stderr, "\r\033[K{}", line.substr(0, width_of(stderr) - 1));
    } else if (stage != stage_) {
        fmt::print(stderr, "{}{}\n", count, stage);
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
