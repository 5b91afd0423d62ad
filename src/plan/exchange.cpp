#include "plan/plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tutti::plan {

using schedule::Space;

namespace {

/// The code of the step if blocks are irregular.
Code exchanging(const Step& step) {
    const StepTraits& traits = step.traits();
    if (!traits.moves() && traits.takes == Takes::nothing) {
        return step.code;
    }
    if (step.code == Code::copy && step.left.is(Space::input) && step.to.is(Space::output) &&
        !step.to.remote() && step.count == 1) {
        return Code::exchange;
    }
    throw std::invalid_argument("for_neighbor_exchange: a step that is no copy of one block from an input to "
                                "the own output");
}

/// The steps that compare the lengths of the blocks that the plan copies from others.
std::vector<Step> matching(const Plan& plan) {
    std::vector<Step> steps;
    for (Step step : plan.steps) {
        if (step.code == Code::exchange && step.left.remote()) {
            step.code = Code::match;
            steps.push_back(step);
        }
    }
    return steps;
}

} // namespace

Plan for_neighbor_exchange(Plan plan) {
    std::erase_if(plan.steps, // comparing opens
                  [](const Step& step) { return step.code == Code::open || step.code == Code::open_every; });
    for (Step& step : plan.steps) {
        step.code = exchanging(step);
    }
    const std::vector<Step> matches = matching(plan);
    const auto entered = std::ranges::find(plan.steps, Code::enter, &Step::code);
    if (entered == plan.steps.end()) {
        throw std::invalid_argument("for_neighbor_exchange: members show nothing to each other");
    }
    plan.steps.insert(entered + 1, matches.begin(), matches.end());
    return plan;
}

Plan for_irregular_exchange(Plan plan) {
    plan = for_neighbor_exchange(std::move(plan));
    const auto is_match = [](const Step& step) { return step.code == Code::match; };
    for (Step& step : plan.steps) {
        if (step.code == Code::exchange || is_match(step)) {
            step.first = step.peer();
            step.set_from(plan.rank);
        }
    }
    if (std::ranges::count_if(plan.steps, is_match) == plan.ranks - 1) {
        std::erase_if(plan.steps, is_match);
        Step all;
        all.code = Code::match_every;
        plan.steps.insert(std::ranges::find(plan.steps, Code::enter, &Step::code) + 1, all);
    }
    return plan;
}

} // namespace tutti::plan
