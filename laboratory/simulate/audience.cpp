#include "simulate/audience.hpp"

namespace tutti::simulate {

namespace {

void add(Audience::Readers& sum, const Audience::Readers& what) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] = static_cast<std::uint16_t>(sum[i] + what[i]); // modulo 2^16: what is added may be taken away
    }
}

} // namespace

Audience::Audience(std::span<const plan::Plan> plans, const Positions& positions)
    : points_per_member_(plans.front().points),
      blocks_per_vector_(static_cast<std::size_t>(plans.front().blocks)),
      points_(plans.size() * points_per_member_),
      blocks_(plans.size() * touched_spaces * (blocks_per_vector_ + 1)), combined_by_owner_(blocks_.size()) {
    for (const plan::Plan& plan : plans) {
        for (const plan::Step& step : plan.steps) {
            for (int look = 0; look < looks(plan, step); ++look) {
                const auto [peer, point] = looked_at(plan, step, look);
                const auto distance = static_cast<std::size_t>(positions.between(plan.rank, peer));
                ++points_[static_cast<std::size_t>(peer) * points_per_member_ + point][distance];
            }
            add_step(plan, step, positions);
        }
    }
    for (std::size_t vector = 0; vector < plans.size() * touched_spaces; ++vector) {
        Readers* const of_vector = &blocks_[vector * (blocks_per_vector_ + 1)];
        std::uint16_t* const combined = &combined_by_owner_[vector * (blocks_per_vector_ + 1)];
        for (std::size_t block = 1; block <= blocks_per_vector_; ++block) {
            add(of_vector[block], of_vector[block - 1]);
            combined[block] = static_cast<std::uint16_t>(combined[block] + combined[block - 1]);
        }
    }
}

/// Ranges are first noted as differences, so that a range takes no longer than a block.
void Audience::add_step(const plan::Plan& plan, const plan::Step& step, const Positions& positions) {
    bool reads_others = false;
    for_each_touch(plan, step, [&](const Touch& touch) {
        if (touch.stores || touch.owner == plan.rank) {
            return;
        }
        reads_others = true;
        const auto distance = static_cast<std::size_t>(positions.between(plan.rank, touch.owner));
        Readers* const of_vector = &blocks_[index(touch.owner, touch.space, 0)];
        ++of_vector[touch.first][distance];
        --of_vector[touch.first + touch.count][distance];
    });
    if (!reads_others) {
        return;
    }
    for_each_touch(plan, step, [&](const Touch& touch) {
        if (!touch.stores && touch.owner == plan.rank) {
            std::uint16_t* const of_vector = &combined_by_owner_[index(touch.owner, touch.space, 0)];
            ++of_vector[touch.first];
            --of_vector[touch.first + touch.count];
        }
    });
}

} // namespace tutti::simulate
