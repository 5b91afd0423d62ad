#pragma once

#include "distance/groups.hpp"
#include "distance/line_profile.hpp"
#include "plan/plan.hpp"
#include "schedule/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::simulate {

/// The members' places: for a core, an L3, a node and a socket the number of the one in which each member is,
/// from 0 on.
struct Positions {
    std::array<distance::Groups, distance::class_count - 1> groups;
    /// The size of one L2 cache; 0 if unknown, and then nothing ever falls out of it.
    std::size_t l2_bytes = 0;
    /// The size of one L3 cache; 0 if unknown, and then nothing ever falls out of it.
    std::size_t l3_bytes = 0;

    int members() const { return static_cast<int>(groups.front().size()); }

    const distance::Groups& groups_of(distance::Class part) const {
        return groups[static_cast<std::size_t>(part)];
    }

    /// How far two members are from each other.
    distance::Class between(int one, int other) const {
        std::size_t distance = 0;
        while (distance < groups.size() && groups[distance][static_cast<std::size_t>(one)] !=
                                               groups[distance][static_cast<std::size_t>(other)]) {
            ++distance;
        }
        return distance::all_classes[distance];
    }
};

/// The vectors of a member, and its staging buffer.
inline constexpr std::size_t stage_space = schedule::space_count;
inline constexpr std::size_t touched_spaces = stage_space + 1;

/// Blocks that a step reads, or stores to.
struct Touch {
    int owner = 0;
    std::size_t space = 0;
    std::size_t first = 0;
    std::size_t count = 0;
    bool stores = false;
    /// Stored by plain stores, for which a line has to be there: not by a copy or a non-temporal store.
    bool plain = false;
};

/// The point of a member at which a step looks.
struct Look {
    int peer = 0;
    std::size_t point = 0;
};

/// How many members' vectors or messages the step of `plan` combines.
inline int combined_members(const plan::Plan& plan, const plan::Step& step) {
    switch (step.traits().reads) {
    case plan::Reads::every:
        return plan.ranks;
    case plan::Reads::every_but_last:
        return plan.ranks - 1;
    default:
        return step.operands();
    }
}

/// How many operands the step lists that are not the member's own.
inline int listed_of_others(const plan::Plan& plan, const plan::Step& step) {
    return static_cast<int>(std::ranges::count_if(operands_of(plan, step), [&](const plan::Operand& operand) {
        return static_cast<int>(operand.peer) != plan.rank;
    }));
}

/// How many members the step of `plan` looks at.
inline int looks(const plan::Plan& plan, const plan::Step& step) {
    using plan::Awaits;
    switch (step.traits().awaits) {
    case Awaits::peer:
        return 1;
    case Awaits::every:
        return plan.ranks - 1;
    case Awaits::first:
        return step.operands() - (plan.rank < static_cast<int>(step.operands()) ? 1 : 0);
    case Awaits::listed:
        return listed_of_others(plan, step);
    case Awaits::nobody:
    default:
        return 0;
    }
}

/// Look number `look` of the step, from 0 on.
inline Look looked_at(const plan::Plan& plan, const plan::Step& step, int look) {
    using plan::Awaits;
    const auto point = [&]() -> std::size_t { return step.traits().opens() ? 0 : step.point(); };
    switch (step.traits().awaits) {
    case Awaits::every:
        return {(plan.rank + 1 + look) % plan.ranks, point()};
    case Awaits::first:
        return {look < plan.rank ? look : look + 1, point()};
    case Awaits::listed: {
        auto operand = operands_of(plan, step).begin();
        for (int others = 0;; ++operand) {
            if (static_cast<int>(operand->peer) != plan.rank && others++ == look) {
                return {operand->peer, operand->point()};
            }
        }
    }
    default:
        return {step.peer(), point()};
    }
}

/// Calls visit(owner, space, first block) for what the step of `plan` reads, once for each member.
template <class Visit>
void for_each_read(const plan::Plan& plan, const plan::Step& step, Visit visit) {
    using plan::Reads;
    const bool takes_messages = step.traits().takes == plan::Takes::message;
    const auto space_of = [&](int member, plan::Vector vector) {
        return takes_messages && member != plan.rank ? stage_space : vector.space();
    };
    const auto read = [&](plan::Vector vector) {
        visit(vector.remote() ? static_cast<int>(step.peer()) : plan.rank, vector.space(), step.from());
    };
    const auto read_message = [&] { visit(static_cast<int>(step.peer()), stage_space, step.from()); };
    switch (step.traits().reads) {
    case Reads::nothing:
        return;
    case Reads::left:
        return read(step.left);
    case Reads::message:
        return read_message();
    case Reads::left_and_right:
        read(step.left);
        return read(step.right);
    case Reads::left_and_message:
        read(step.left);
        return read_message();
    case Reads::listed:
        for (const plan::Operand& operand : operands_of(plan, step)) {
            visit(static_cast<int>(operand.peer), space_of(operand.peer, operand.vector), step.first);
        }
        return;
    case Reads::every:
    case Reads::every_but_last:
    case Reads::first:
        for (int member = 0; member < combined_members(plan, step); ++member) {
            visit(member, space_of(member, step.left), step.from());
        }
    }
}

/// Calls visit(owner, space) for what the step of `plan` stores to, once for each member.
template <class Visit>
void for_each_store(const plan::Plan& plan, const plan::Step& step, Visit visit) {
    using plan::Stores;
    const Stores stores = step.traits().stores;
    switch (stores) {
    case Stores::nothing:
        return;
    case Stores::message:
        return visit(plan.rank, stage_space);
    case Stores::listed:
        for (const plan::Operand& target : targets_of(plan, step)) {
            visit(static_cast<int>(target.peer), target.vector.space());
        }
        return visit(plan.rank, step.to.space());
    case Stores::target:
        return visit(step.to.remote() ? static_cast<int>(step.peer()) : plan.rank, step.to.space());
    case Stores::every:
    case Stores::every_but_first:
        for (int member = stores == Stores::every ? 0 : 1; member < plan.ranks; ++member) {
            visit(member, step.to.space());
        }
    }
}

/// Calls visit(Touch) for all blocks that the step of `plan` reads and stores, once for each member whose
/// they are. Messages in slots are among them, as if they lay in staging buffers.
template <class Visit>
void for_each_touch(const plan::Plan& plan, const plan::Step& step, Visit visit) {
    using plan::Reads;
    for_each_read(plan, step, [&](int owner, std::size_t space, std::size_t first) {
        visit(Touch{.owner = owner,
                    .space = space,
                    .first = first,
                    .count = step.count,
                    .stores = false,
                    .plain = false});
    });
    const Reads reads = step.traits().reads;
    const bool combines_two = reads == Reads::left_and_right || reads == Reads::left_and_message;
    for_each_store(plan, step, [&](int owner, std::size_t space) {
        visit(Touch{.owner = owner,
                    .space = space,
                    .first = step.first,
                    .count = step.count,
                    .stores = true,
                    .plain = combines_two});
    });
}

/// The readers in one operation of every point of every member, and of every block of its vectors.
class Audience {
public:
    /// How many others read something, by their distance from its owner.
    using Readers = std::array<std::uint16_t, distance::class_count>;

    Audience(std::span<const plan::Plan> plans, const Positions& positions);

    /// The readers of a point of a member.
    const Readers& of_point(int member, std::size_t point) const {
        return points_[static_cast<std::size_t>(member) * points_per_member_ + point];
    }
    /// The readers of a block.
    const Readers& of_block(int member, std::size_t space, std::size_t block) const {
        return blocks_[index(member, space, block)];
    }
    /// Whether the block's owner reads it together with those of others, as all members do that combine the
    /// same.
    bool is_combined_by_owner(int member, std::size_t space, std::size_t block) const {
        return combined_by_owner_[index(member, space, block)] != 0;
    }

    /// Calls visit(part) for parts of what a step touches, in each of which all blocks have the same readers.
    template <class Visit>
    void for_each_part(const Touch& touch, Visit visit) const {
        const std::size_t end = touch.first + touch.count;
        for (Touch part = touch; part.first < end; part.first += part.count) {
            const std::size_t place = index(touch.owner, touch.space, part.first);
            for (part.count = 1; part.first + part.count < end && are_alike(place, place + part.count);
                 ++part.count) {
            }
            visit(part);
        }
    }

private:
    bool are_alike(std::size_t one, std::size_t other) const {
        return blocks_[one] == blocks_[other] &&
               (combined_by_owner_[one] != 0) == (combined_by_owner_[other] != 0);
    }
    void add_step(const plan::Plan& plan, const plan::Step& step, const Positions& positions);
    std::size_t index(int member, std::size_t space, std::size_t block) const {
        return (static_cast<std::size_t>(member) * touched_spaces + space) * (blocks_per_vector_ + 1) + block;
    }

    std::size_t points_per_member_;
    std::size_t blocks_per_vector_;
    std::vector<Readers> points_;
    std::vector<Readers> blocks_;
    std::vector<std::uint16_t> combined_by_owner_;
};

/// How many there are, and how far the furthest is; core if there are none.
inline int count_of(const Audience::Readers& readers) {
    int count = 0;
    for (const std::uint16_t each : readers) {
        count += each;
    }
    return count;
}
inline distance::Class furthest_of(const Audience::Readers& readers) {
    std::size_t furthest = distance::class_count - 1;
    while (furthest > 0 && readers[furthest] == 0) {
        --furthest;
    }
    return distance::all_classes[furthest];
}

} // namespace tutti::simulate
