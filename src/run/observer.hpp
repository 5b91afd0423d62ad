#pragma once

#include "plan/plan.hpp"

#include <cstddef>

namespace tutti::run {

/// An observer of a run that observes nothing. A runner calls its observer when it looks for something that a
/// member has yet to publish, when it sees that, and when it has completed a step.
struct Unobserved {
    static constexpr bool is_on = false;
    static void looks_for(int /*peer*/) {}
    static void sees(int /*peer*/) {}
    static void has_done(const plan::Step& /*step*/, std::size_t /*bytes*/) {}
};

} // namespace tutti::run
