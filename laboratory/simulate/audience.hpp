#pragma once

#include "distance/class.hpp"
#include "plan/plan.hpp"
#include "simulate/positions.hpp"
#include "simulate/touches.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::simulate {

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
