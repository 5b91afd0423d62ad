#include "plan/plan.hpp"
#include "tasks/src/async_group_state.hpp"

#include <tutti/async_group.hpp>
#include <tutti/error.hpp>

#include <string>

namespace tutti::inline TUTTI_NAMESPACE {

AsyncGroup::AsyncGroup(int ranks, const AsyncGroupOptions& options) {
    if (ranks < 1 || ranks > plan::most_members) {
        throw ArgumentError("AsyncGroup: `ranks` is " + std::to_string(ranks) + ", must be in 1.." +
                            std::to_string(plan::most_members));
    }
    state_ = new detail::AsyncGroupState(ranks, options);
}

AsyncGroup::~AsyncGroup() {
    state_->close();
}

int AsyncGroup::size() const {
    return state_->ranks();
}

std::string AsyncGroup::roll_call(RollCallFormat format) const {
    return state_->roll_call(format);
}

AsyncRank AsyncGroup::at(int rank) {
    if (rank < 0 || rank >= size()) {
        throw ArgumentError("AsyncGroup: `rank` is " + std::to_string(rank) + ", must be in 0.." +
                            std::to_string(size() - 1));
    }
    return {*state_, rank, size()};
}

namespace detail {

RequestBase& arrive(AsyncGroupState& state, int rank, const Call& call) {
    return state.arrive(rank, call);
}

} // namespace detail

} // namespace tutti::inline TUTTI_NAMESPACE
