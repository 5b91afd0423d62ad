#include "group/family.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::engine {

using detail::GroupState;

void Family::descend(std::weak_ptr<GroupState> parent, const Family& other, const std::vector<int>& mates,
                     const std::optional<Progression>& derived) {
    derived_ranks_ = derived;
    ranks_in_first_.reserve(mates.size());
    std::ranges::transform(mates, std::back_inserter(ranks_in_first_),
                           [&other](int rank) { return other.rank_in_first(rank).value_or(rank); });
    ancestors_.reserve(other.ancestors_.size() + 1);
    ancestors_ = other.ancestors_;
    ancestors_.push_back(std::move(parent));
}

std::optional<int> Family::rank_in_first(int member) const {
    return ranks_in_first_.empty() ? std::nullopt
                                   : std::optional(ranks_in_first_[static_cast<std::size_t>(member)]);
}

std::shared_ptr<GroupState> Family::first() const {
    return ancestors_.empty() ? nullptr : ancestors_.front().lock();
}

std::shared_ptr<GroupState> Family::origin() const {
    return derived_ranks_ ? ancestors_.back().lock() : nullptr;
}

Family::Groups Family::ancestors() const {
    Groups groups;
    for (const auto& link : ancestors_) {
        if (std::shared_ptr<GroupState> ancestor = link.lock()) {
            groups.push_back(std::move(ancestor));
        }
    }
    return groups;
}

void Family::add_descendant(const std::shared_ptr<GroupState>& group) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(descendants_, [](const auto& descendant) { return descendant.expired(); });
    descendants_.push_back(group);
}

} // namespace tutti::engine
