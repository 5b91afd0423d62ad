// Groups made of groups, and what those learn of these.

#include "group/group_state.hpp"

#include <algorithm>

namespace tutti::detail {

std::shared_ptr<GroupState> GroupState::of_mates(const std::vector<int>& mates) {
    const auto members = static_cast<int>(mates.size());
    std::shared_ptr<GroupState> group = [&] {
        const std::scoped_lock lock(bindings_mutex_);
        return std::make_shared<GroupState>(members, execute::config_for_members(config_, mates),
                                            make_diagnosis_);
    }();
    group->ranks_in_first_.reserve(mates.size());
    std::ranges::transform(mates, std::back_inserter(group->ranks_in_first_),
                           [this](int rank) { return rank_in_first(rank).value_or(rank); });
    group->ancestors_.reserve(ancestors_.size() + 1);
    group->ancestors_ = ancestors_;
    group->ancestors_.push_back(weak_from_this());
    for (const auto& link : group->ancestors_) {
        const std::shared_ptr<GroupState> ancestor = link.lock();
        if (ancestor == nullptr) {
            continue;
        }
        const std::scoped_lock lock(ancestor->descendants_mutex_);
        std::erase_if(ancestor->descendants_, [](const auto& descendant) { return descendant.expired(); });
        ancestor->descendants_.push_back(group);
    }
    group->diagnosis_->list_for_roll_calls();
    // A failure since then reaches the new group; one before that does so here.
    if (failure_.raised()) {
        failure_.throw_aborted();
    }
    return group;
}

std::optional<int> GroupState::rank_in_first(int member) const {
    return ranks_in_first_.empty() ? std::nullopt
                                   : std::optional(ranks_in_first_[static_cast<std::size_t>(member)]);
}

std::shared_ptr<GroupState> GroupState::founded(const GroupState* group) {
    const std::scoped_lock lock(descendants_mutex_);
    for (const auto& link : descendants_) {
        std::shared_ptr<GroupState> descendant = link.lock();
        // Where its founder has given up, another group may have its address.
        if (descendant.get() == group && !failure_.raised()) {
            return descendant;
        }
    }
    failure_.throw_aborted();
}

void GroupState::release_all(int member, const std::exception_ptr& cause, const char* whose) noexcept {
    failure_.raise(member, cause, whose);
    for (auto& board : boards()) {
        board.event.notify();
    }
    if (execute::Channels* const channels = channels_if_any()) {
        channels->event().notify();
    }
}

void GroupState::fail(int member, const std::exception_ptr& cause) noexcept {
    release_all(member, cause, "");
    const std::scoped_lock lock(descendants_mutex_);
    for (const auto& link : descendants_) {
        if (const std::shared_ptr<GroupState> descendant = link.lock()) {
            descendant->release_all(member, cause, " of a group that this one was made of");
        }
    }
}

bool GroupState::has_left_for_good(int member) const {
    const auto index = static_cast<std::size_t>(member);
    if (statuses_[member].left_for_good.load(std::memory_order_acquire)) {
        return true;
    }
    const std::shared_ptr<GroupState> first = ancestors_.empty() ? nullptr : ancestors_.front().lock();
    return first != nullptr &&
           first->status(ranks_in_first_[index]).left_for_good.load(std::memory_order_acquire);
}

} // namespace tutti::detail
