#pragma once

#include "plan/plan.hpp"

#include <cstddef>

namespace tutti::run {

/// A member's plan as its seat keeps it. The members into whose vectors it looks are numbered, so that the
/// seat keeps nothing of others. If a step touches the vectors of all members, the numbers are the ranks.
struct OwnPlan {
    plan::Plan plan;
    std::size_t peers = 0;
    /// Whether a step combines vectors of several members or stores to all, and needs lists of them.
    bool lists_all = false;

    explicit OwnPlan(plan::Plan compiled);

    /// Its size in memory, roughly.
    std::size_t bytes() const {
        return sizeof(*this) + plan.steps.capacity() * sizeof(plan::Step) +
               plan.operands.capacity() * sizeof(plan::Operand);
    }
};

} // namespace tutti::run
