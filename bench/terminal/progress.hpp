#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace tutti::bench {

/// How long a job of many steps goes on. A step is taken to last as long as the last one of its kind did, and
/// before there was one, as long as it may.
class TimeLeft {
public:
    /// One more step.
    void plan(const std::string& kind, double most_seconds);

    /// A planned step begins, and what has begun before ends. `now` in seconds since whenever.
    void begin(const std::string& kind, double now);

    std::size_t steps() const { return steps_; }
    /// From the beginning of the last step on.
    double seconds() const;

private:
    struct KindOfStep {
        std::size_t left = 0;
        double seconds_each = 0;
    };

    std::map<std::string, KindOfStep> kinds_;
    std::size_t steps_ = 0;
    KindOfStep* under_way_ = nullptr;
    double begun_at_ = 0;
};

/// Says on stderr what a long job is doing: one line that is rewritten where stderr is a terminal, else a
/// line each time a new stage begins.
class Progress {
public:
    Progress(std::size_t steps, bool shown);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// The next step begins: part of `stage`, in detail `detail`. `left` is the remaining time of the job; it
    /// may be empty.
    void step(const std::string& stage, const std::string& detail, const std::string& left = "");

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
