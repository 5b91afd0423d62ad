#include "terminal/progress.hpp"

#include "terminal/table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tutti::bench {

void TimeLeft::plan(const std::string& kind, double most_seconds) {
    KindOfStep& planned = kinds_[kind];
    planned.seconds_each = std::max(planned.seconds_each, most_seconds);
    ++planned.left;
    ++steps_;
}

void TimeLeft::begin(const std::string& kind, double now) {
    if (under_way_ != nullptr) {
        under_way_->seconds_each = now - begun_at_;
        --under_way_->left;
    }
    under_way_ = &kinds_.at(kind);
    begun_at_ = now;
}

double TimeLeft::seconds() const {
    double sum = 0;
    for (const auto& [name, kind] : kinds_) {
        sum += static_cast<double>(kind.left) * kind.seconds_each;
    }
    return sum;
}

Progress::Progress(std::size_t steps, bool shown)
    : steps_(steps), shown_(shown), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::step(const std::string& stage, const std::string& detail, const std::string& left) {
    ++begun_;
    if (!shown_) {
        return;
    }
    const std::string count = fmt::format("[{:>3}/{}] {}", begun_, steps_, left.empty() ? "" : left + ", ");
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
