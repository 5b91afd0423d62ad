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

} // namespace tutti::bench
