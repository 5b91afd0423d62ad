#pragma once

#include "machine/machine.hpp"

#include <tutti/detail/export.h>
#include <tutti/version.hpp>

#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::v0_1 {
enum class Level : std::uint8_t;
}

namespace tutti::v0_1::detail {

class GroupState;

/// A member's arguments of a split.
struct Choice {
    std::optional<int> color;
    int key = 0;
    /// The digest of the list of ranks that it has given: 0, which is no digest, if it has given none.
    std::uint64_t list_digest = 0;
    std::uint64_t list_size = 0;
    bool duplicates = false;
    /// The level by which it splits; none if by colors.
    std::optional<Level> level = {};

    bool agrees_with(const Choice& other) const {
        return list_digest == other.list_digest && list_size == other.list_size &&
               duplicates == other.duplicates && level == other.level;
    }
    /// The function that the member has called.
    const char* function() const { return list_digest != 0 ? "subset" : duplicates ? "dup" : "split"; }
};

} // namespace tutti::v0_1::detail

namespace tutti::library {

/// Ranks of a group at equal distances: first, first + stride, ... of `count` members.
struct Progression {
    int count = 1;
    int first = 0;
    int stride = 1;

    int rank(int position) const { return first + position * stride; }
    /// Nothing if `rank` is none of them.
    std::optional<int> position_of(int rank) const {
        const int distance = rank - first;
        return distance >= 0 && distance % stride == 0 && distance / stride < count
                   ? std::optional(distance / stride)
                   : std::nullopt;
    }

    auto operator<=>(const Progression&) const = default;
};

/// The groups that a group was made of, and those made of it.
class Family {
public:
    using Groups = std::vector<std::shared_ptr<detail::GroupState>>;

    /// Becomes the family of a group for some members of `parent`, whose family is `other`; derived from it
    /// if `derived` has their ranks. Before the group makes calls.
    void descend(std::weak_ptr<detail::GroupState> parent, const Family& other, const std::vector<int>& mates,
                 const std::optional<Progression>& derived);

    /// The member's rank in the group that this one was made of, through however many others; empty if it was
    /// made of none.
    std::optional<int> rank_in_first(int member) const;
    /// The group that all were made of; null if this one was made of none, or that is gone.
    std::shared_ptr<detail::GroupState> first() const;
    /// The groups that this one was made of, as far as they still exist.
    Groups ancestors() const;

    /// The ranks that the members of a derived group have in the group that it is derived from.
    const std::optional<Progression>& derived_ranks() const { return derived_ranks_; }
    /// The group that this one is derived from; null if it is derived from none, or that is gone.
    std::shared_ptr<detail::GroupState> origin() const;

    void add_descendant(const std::shared_ptr<detail::GroupState>& group);
    /// Calls each(group) of those that still exist. No group becomes a descendant meanwhile.
    template <class Each>
    void for_each_descendant(Each each) {
        const std::scoped_lock lock(mutex_);
        for (const auto& link : descendants_) {
            if (const std::shared_ptr<detail::GroupState> descendant = link.lock()) {
                each(descendant);
            }
        }
    }

private:
    /// The first one first; and the members' ranks in that.
    std::vector<std::weak_ptr<detail::GroupState>> ancestors_;
    std::vector<int> ranks_in_first_;
    std::optional<Progression> derived_ranks_;
    std::mutex mutex_;
    std::vector<std::weak_ptr<detail::GroupState>> descendants_;
};

/// "member 3", "members 0, 2, 5-63", of the word for one and for several, each rank once; of many runs of
/// ranks the first ones.
TUTTI_COMPONENT_API std::string text_of_ranks(std::vector<int> ranks, const std::string& one,
                                              const std::string& all);

/// The choice in a split. Throws ArgumentError.
TUTTI_COMPONENT_API detail::Choice choice_of(std::optional<int> color, int key);
/// The choice in a subset, by the member with the rank `rank` of `members`. Throws ArgumentError.
TUTTI_COMPONENT_API detail::Choice choice_of(std::span<const int> ranks, int rank, int members);

/// The ranks that chose `color`, in the order of the new group; none without a color.
TUTTI_COMPONENT_API std::vector<int> mates_of(std::optional<int> color,
                                              const std::vector<detail::Choice>& choices);

/// Throws MismatchError if members split the group by different lists, or some by none.
TUTTI_COMPONENT_API void check_agreement(const std::vector<detail::Choice>& choices);

struct PartOfMachine {
    const char* name;
    int machine::Pu::*number;
};
/// Throws ArgumentError if `level` is none.
PartOfMachine part_of_machine(Level level);

} // namespace tutti::library
