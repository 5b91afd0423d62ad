#include "terminal/time_left.hpp"

#include <algorithm>

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

} // namespace tutti::bench
