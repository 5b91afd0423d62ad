#pragma once

#include "plan/plan.hpp"
#include "schedule/schedule.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::simulate {

/// The vectors of a member, and its stage.
inline constexpr std::size_t stage_space = schedule::space_count;
inline constexpr std::size_t touched_spaces = stage_space + 1;

/// Blocks that a step reads, or stores to.
struct Touch {
    int owner = 0;
    std::size_t space = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    bool stores = false;
    /// Stored by plain stores, for which a line has to be there: not by a copy, nor past the caches.
    bool plain = false;
};

/// What a step looks at: a point of a member.
struct Look {
    int peer = 0;
    std::size_t point = 0;
};

/// How many operands the step lists that are not the member's own.
inline int listed_of_others(const plan::Plan& plan, const plan::Step& step) {
    const auto first = plan.operands.begin() + step.from;
    return static_cast<int>(std::count_if(first, first + step.peer, [&](const plan::Operand& operand) {
        return static_cast<int>(operand.peer) != plan.rank;
    }));
}

/// How many members the step of `plan` looks at.
inline int looks(const plan::Plan& plan, const plan::Step& step) {
    using plan::Code;
    switch (step.code) {
    case Code::open:
    case Code::await:
    case Code::receive:
        return 1;
    case Code::open_every:
    case Code::await_every:
        return plan.ranks - 1;
    case Code::reduce_every_received:
    case Code::reduce_first_received:
        return static_cast<int>(step.peer) - (plan.rank < static_cast<int>(step.peer) ? 1 : 0);
    case Code::reduce_listed_received:
        return listed_of_others(plan, step);
    default:
        return 0;
    }
}

/// What the step looks at as number `look` of these, from 0 on.
inline Look looked_at(const plan::Plan& plan, const plan::Step& step, int look) {
    using plan::Code;
    switch (step.code) {
    case Code::open_every:
    case Code::await_every:
        return {(plan.rank + 1 + look) % plan.ranks, step.point};
    case Code::reduce_every_received:
    case Code::reduce_first_received:
        return {look < plan.rank ? look : look + 1, step.point};
    case Code::reduce_listed_received: {
        auto operand = plan.operands.begin() + step.from;
        for (int others = 0;; ++operand) {
            if (static_cast<int>(operand->peer) != plan.rank && others++ == look) {
                return {operand->peer, operand->point};
            }
        }
    }
    default:
        return {step.peer, step.point};
    }
}

/// Calls visit(Touch) for all blocks that the step of `plan` reads and stores, once for each member whose
/// they are. What is carried in slots is among them, as if it lay on stages.
template <class Visit>
void for_each_touch(const plan::Plan& plan, const plan::Step& step, Visit visit) {
    using plan::Code;
    const auto owner = [&](plan::Vector vector) {
        return vector.remote() ? static_cast<int>(step.peer) : plan.rank;
    };
    const auto read = [&](int member, std::size_t space) {
        visit(Touch{.owner = member,
                    .space = space,
                    .first = step.from,
                    .count = step.count,
                    .stores = false,
                    .plain = false});
    };
    const bool combines_two = step.code == Code::reduce || step.code == Code::reduce_received;
    const auto store = [&](int member, std::size_t space) {
        visit(Touch{.owner = member,
                    .space = space,
                    .first = step.first,
                    .count = step.count,
                    .stores = true,
                    .plain = combines_two});
    };
    const auto read_first = [&](int members, std::size_t own_space, std::size_t space) {
        for (int member = 0; member < members; ++member) {
            read(member, member == plan.rank ? own_space : space);
        }
    };
    const auto read_listed = [&](bool received) {
        for (int number = 0; number < step.peer; ++number) {
            const plan::Step one = step_of_listed(plan, step, number);
            const bool is_own = static_cast<int>(one.peer) == plan.rank;
            visit(Touch{.owner = one.peer,
                        .space = received && !is_own ? stage_space : one.left.space(),
                        .first = one.from,
                        .count = one.count,
                        .stores = false,
                        .plain = false});
        }
    };
    const auto store_from = [&](int first) {
        for (int member = first; member < plan.ranks; ++member) {
            store(member, step.to.space());
        }
    };
    switch (step.code) {
    case Code::carry:
        read(plan.rank, step.left.space());
        return store(plan.rank, stage_space);
    case Code::copy:
        read(owner(step.left), step.left.space());
        return store(owner(step.to), step.to.space());
    case Code::copy_to_every:
        read(owner(step.left), step.left.space());
        return store_from(0);
    case Code::copy_received:
        read(static_cast<int>(step.peer), stage_space);
        return store(plan.rank, step.to.space());
    case Code::reduce:
        read(owner(step.left), step.left.space());
        read(owner(step.right), step.right.space());
        return store(owner(step.to), step.to.space());
    case Code::reduce_received:
        read(owner(step.left), step.left.space());
        read(static_cast<int>(step.peer), stage_space);
        return store(plan.rank, step.to.space());
    case Code::reduce_every:
        read_first(plan.ranks, step.left.space(), step.left.space());
        return store(owner(step.to), step.to.space());
    case Code::reduce_first:
        read_first(static_cast<int>(step.peer), step.left.space(), step.left.space());
        return store(plan.rank, step.to.space());
    case Code::reduce_every_received:
    case Code::reduce_first_received:
        read_first(static_cast<int>(step.peer), step.left.space(), stage_space);
        return store(plan.rank, step.to.space());
    case Code::reduce_listed:
    case Code::reduce_listed_received:
    case Code::reduce_listed_to_listed:
        read_listed(step.code == Code::reduce_listed_received);
        for (int number = 0; number < targets_of_listed(step); ++number) {
            const plan::Operand& target = target_of_listed(plan, step, number);
            store(target.peer, target.vector.space());
        }
        return store(plan.rank, step.to.space());
    case Code::reduce_every_to_every:
    case Code::scan_every:
        read_first(plan.ranks, step.left.space(), step.left.space());
        return store_from(0);
    case Code::exscan_every:
        read_first(plan.ranks - 1, step.left.space(), step.left.space());
        return store_from(1);
    default:
        return;
    }
}

} // namespace tutti::simulate
