#include "run/own_plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tutti::run {

using plan::Code;
using plan::Step;

namespace {

bool opens_all(const Step& step) {
    // Who compares a block finds the peer by its rank.
    return step.code == Code::open_every || step.code == Code::match || step.code == Code::match_every;
}

bool lists(const Step& step) {
    switch (step.code) {
    case Code::copy_to_every:
    case Code::reduce_every:
    case Code::reduce_every_to_every:
    case Code::reduce_every_received:
    case Code::reduce_first:
    case Code::reduce_first_received:
    case Code::reduce_listed:
    case Code::reduce_listed_to_listed:
    case Code::reduce_listed_received:
    case Code::scan_every:
    case Code::exscan_every:
        return true;
    default:
        return false;
    }
}

bool touches_peer(const Step& step) {
    return step.to.remote() || step.left.remote() || step.right.remote();
}

} // namespace

OwnPlan::OwnPlan(plan::Plan compiled) : plan(std::move(compiled)) {
    std::vector<std::uint16_t> opened;
    bool all = false;
    for (const Step& step : plan.steps) {
        // Who combines the vectors of all members may have opened them one by one.
        all = all || opens_all(step) || (lists(step) && touches_peer(step));
        lists_all = lists_all || lists(step);
        if (step.code == Code::open) {
            opened.push_back(step.peer);
        }
    }
    std::ranges::sort(opened);
    opened.erase(std::unique(opened.begin(), opened.end()), opened.end());
    peers = all ? static_cast<std::size_t>(plan.ranks) : opened.size();
    const auto number = [&](std::uint16_t peer) {
        const auto place = std::ranges::lower_bound(opened, peer) - opened.begin();
        return all ? peer : static_cast<std::uint16_t>(place);
    };
    for (Step& step : plan.steps) {
        if (step.code == Code::open) {
            step.from = number(step.peer);
        } else if (touches_peer(step)) {
            step.peer = number(step.peer);
        } else if (step.code == Code::reduce_listed || step.code == Code::reduce_listed_to_listed) {
            for (int listed = 0; listed < step.peer + targets_of_listed(step); ++listed) {
                plan::Operand& operand = plan.operands[static_cast<std::size_t>(step.from + listed)];
                operand.peer = operand.vector.remote() ? number(operand.peer) : operand.peer;
            }
        }
    }
}

} // namespace tutti::run
