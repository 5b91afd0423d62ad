#pragma once

#include <string>

namespace tutti::bench {

/// The points to measure, as typed: the same for all commands that measure.
struct PointArguments {
    std::string begin;
    std::string end;
    double factor;
    std::string members;
    std::string placement = "compact";
    double seconds;
    bool quiet = false;
};

} // namespace tutti::bench
