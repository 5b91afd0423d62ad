#include "plan/plan.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace tutti::plan {

using schedule::Space;

namespace {

/// What the step becomes where blocks are irregular.
Code exchanging(const Step& step) {
    const StepTraits& traits = step.traits();
    if (!traits.moves() && traits.takes == Takes::nothing) {
        return step.code;
    }
    if (step.code == Code::copy && step.left.is(Space::input) && step.to.is(Space::output) &&
        !step.to.remote() && step.count == 1) {
        return Code::exchange;
    }
    throw std::invalid_argument(
        "for_irregular_exchange: a step that is no copy of one block from an input to the own output");
}

/// The steps that compare with all members that the plan opens.
std::vector<Step> matching(const Plan& plan) {
    const auto opens = [](const Step& step) { return step.code == Code::open; };
    const auto opens_every = [](const Step& step) { return step.code == Code::open_every; };
    std::vector<Step> steps;
    std::ranges::copy_if(plan.steps, std::back_inserter(steps), opens);
    for (Step& step : steps) {
        step.code = Code::match;
    }
    if (std::ranges::any_of(plan.steps, opens_every) ||
        steps.size() == static_cast<std::size_t>(plan.ranks) - 1) {
        steps.assign(1, Step());
        steps.front().code = Code::match_every;
    }
    return steps;
}

} // namespace

Plan for_irregular_exchange(Plan plan) {
    const std::vector<Step> matches = matching(plan);
    std::erase_if(plan.steps, // comparing opens
                  [](const Step& step) { return step.code == Code::open || step.code == Code::open_every; });
    for (Step& step : plan.steps) {
        step.code = exchanging(step);
    }
    const auto entered = std::ranges::find(plan.steps, Code::enter, &Step::code);
    if (entered == plan.steps.end()) {
        throw std::invalid_argument("for_irregular_exchange: members show nothing to each other");
    }
    plan.steps.insert(entered + 1, matches.begin(), matches.end());
    return plan;
}

} // namespace tutti::plan
