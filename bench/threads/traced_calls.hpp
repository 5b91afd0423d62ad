#pragma once

#include "measure/problem.hpp"

#include <string>

namespace tutti::bench {

/// The calls to record.
struct TracedCall {
    Problem problem;
    /// Empty: the library chooses.
    std::string algorithm = {};
    std::string placement = "compact";
    int calls = 1;
};

/// Solves the problem so many times on a team of its own, whose members meet at a barrier before each call.
/// Returns the JSON lines of its trace, with steps, in which these calls have the even numbers; the first are
/// missing where there are many. Throws what the library throws, and std::bad_alloc.
std::string traced_calls(const TracedCall& call);

} // namespace tutti::bench
