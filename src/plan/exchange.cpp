#include "plan/plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tutti::plan {

using schedule::Space;

namespace {

bool is(Vector vector, Space space) {
    return vector.space() == static_cast<std::size_t>(space);
}

/// What the step becomes where blocks are irregular.
Code exchanging(const Step& step) {
    switch (step.code) {
    case Code::enter:
    case Code::await:
    case Code::await_every:
    case Code::publish:
        return step.code;
    case Code::copy:
        if (is(step.left, Space::input) && is(step.to, Space::output) && !step.to.remote() &&
            step.count == 1) {
            return Code::exchange;
        }
        [[fallthrough]];
    default:
        throw std::invalid_argument(
            "for_irregular_exchange: a step that is no copy of one block from an input to the own output");
    }
}

} // namespace

Plan for_irregular_exchange(Plan plan) {
    // Comparing opens everybody.
    std::erase_if(plan.steps,
                  [](const Step& step) { return step.code == Code::open || step.code == Code::open_every; });
    for (Step& step : plan.steps) {
        step.code = exchanging(step);
    }
    const auto entered = std::ranges::find(plan.steps, Code::enter, &Step::code);
    if (entered == plan.steps.end()) {
        throw std::invalid_argument("for_irregular_exchange: members show nothing to each other");
    }
    Step match;
    match.code = Code::match_counts;
    plan.steps.insert(entered + 1, match);
    return plan;
}

} // namespace tutti::plan
