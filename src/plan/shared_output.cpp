#include "plan/plan.hpp"

#include <stdexcept>

namespace tutti::plan {

using schedule::Space;

namespace {

constexpr Vector own_output{Space::output, false, false};

/// The step that does once what `step` does for every member.
Step done_once(Step step) {
    const StepTraits& traits = step.traits();
    if (!traits.moves() && (traits.takes == Takes::nothing || traits.takes == Takes::addresses)) {
        return step;
    }
    const bool copies = step.code == Code::copy_to_every;
    if ((copies || step.code == Code::reduce_every_to_every) && step.left.is(Space::input) &&
        step.to.is(Space::output)) {
        step.code = copies ? Code::copy : Code::reduce_every;
        step.to = own_output;
        return step;
    }
    throw std::invalid_argument(
        "for_shared_output: a step that does not store from inputs to the outputs of all members");
}

} // namespace

Plan for_shared_output(Plan plan) {
    for (Step& step : plan.steps) {
        step = done_once(step);
    }
    return plan;
}

} // namespace tutti::plan
