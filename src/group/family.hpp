#pragma once

#include <tutti/version.hpp>

#include <compare>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::detail {
class GroupState;
} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace tutti::engine {

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

} // namespace tutti::engine
