#pragma once

#include "plan/plan.hpp"

#include <cstddef>

namespace tutti::run {

/// Who watches a run, without a part in it: nobody. A runner tells it when it looks for what a member has yet
/// to publish, when it sees that, and when it is through with a step.
struct Unobserved {
    static constexpr bool is_on = false;
    static void looks_for(int /*peer*/) {}
    static void sees(int /*peer*/) {}
    static void has_done(const plan::Step& /*step*/, std::size_t /*bytes*/) {}
};

} // namespace tutti::run
