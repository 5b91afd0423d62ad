#pragma once

#include <cstddef>
#include <string>

namespace tutti::bench {

/// Says on stderr what a long job is doing: one line that is rewritten where stderr is a terminal, else a
/// line each time a new stage begins.
class Progress {
public:
    Progress(std::size_t steps, bool shown);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// The next step begins: part of `stage`, in detail `detail`.
    void step(const std::string& stage, const std::string& detail);

    /// Removes the line, so that something else can be printed.
    void clear();

private:
    std::size_t steps_;
    std::size_t begun_ = 0;
    bool shown_;
    bool terminal_;
    std::string stage_;
};

} // namespace tutti::bench
