#include "run/own_plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::run {

using plan::Step;
using plan::StepTraits;

namespace {

bool touches_peer(const Step& step) {
    return step.to.remote() || step.left.remote() || step.right.remote();
}

/// Whether the step finds the addresses of members by their ranks.
bool finds_by_rank(const Step& step) {
    const StepTraits& traits = step.traits();
    return (traits.opens() && traits.awaits == plan::Awaits::every) || traits.takes == plan::Takes::counts ||
           (traits.names_several() && touches_peer(step));
}

/// The members whose vectors the plan opens one by one, in ascending order.
std::vector<std::uint16_t> opened_by(const plan::Plan& plan) {
    std::vector<std::uint16_t> opened;
    for (const Step& step : plan.steps) {
        if (step.code == plan::Code::open) {
            opened.push_back(step.peer());
        }
    }
    std::ranges::sort(opened);
    opened.erase(std::unique(opened.begin(), opened.end()), opened.end());
    return opened;
}

} // namespace

OwnPlan::OwnPlan(plan::Plan compiled) : plan(std::move(compiled)) {
    lists_all =
        std::ranges::any_of(plan.steps, [](const Step& step) { return step.traits().names_several(); });
    if (std::ranges::any_of(plan.steps, finds_by_rank)) {
        peers = static_cast<std::size_t>(plan.ranks);
        return;
    }
    const std::vector<std::uint16_t> opened = opened_by(plan);
    peers = opened.size();
    const auto number = [&](std::uint16_t peer) {
        return static_cast<int>(std::ranges::lower_bound(opened, peer) - opened.begin());
    };
    for (Step& step : plan.steps) {
        if (step.traits().opens() || touches_peer(step)) {
            step.set_number(number(step.peer()));
        }
    }
    if (plan.protocol == schedule::Protocol::eager) {
        return; // the listed operands are messages
    }
    for (plan::Operand& operand : plan.operands) {
        if (operand.vector.remote()) {
            operand.set_number(number(operand.peer));
        }
    }
}

} // namespace tutti::run
