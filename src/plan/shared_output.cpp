#include "plan/plan.hpp"

#include <stdexcept>

namespace tutti::plan {

using schedule::Space;

namespace {

constexpr Vector own_output{Space::output, false, false};

/// The step that does once what `step` does for every member.
Step done_once(Step step) {
    const bool from_input = step.left.is(Space::input);
    switch (step.code) {
    case Code::enter:
    case Code::open:
    case Code::open_every:
    case Code::await:
    case Code::await_every:
    case Code::publish:
        return step;
    case Code::copy_to_every:
    case Code::reduce_every_to_every:
        if (from_input && step.to.is(Space::output)) {
            step.code = step.code == Code::copy_to_every ? Code::copy : Code::reduce_every;
            step.to = own_output;
            return step;
        }
        [[fallthrough]];
    default:
        throw std::invalid_argument(
            "for_shared_output: a step that does not store from inputs to the outputs of all members");
    }
}

} // namespace

Plan for_shared_output(Plan plan) {
    for (Step& step : plan.steps) {
        step = done_once(step);
    }
    return plan;
}

} // namespace tutti::plan
