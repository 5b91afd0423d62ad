#include "execute/group_state.hpp"

#include <tutti/error.hpp>
#include <tutti/group.hpp>

#include <string>

namespace tutti {

namespace {

using execute::most_members;

std::shared_ptr<detail::GroupState> make_state(int members) {
    if (members < 1 || members > most_members) {
        throw ArgumentError("Group: members is " + std::to_string(members) + ", must be in 1.." +
                            std::to_string(most_members));
    }
    return std::make_shared<detail::GroupState>(members);
}

} // namespace

Group::Group(int members) : state_(make_state(members)) {}

int Group::size() const {
    return state_->size();
}

Member Group::join(int rank) {
    if (rank < 0 || rank >= size()) {
        throw ArgumentError("join: rank is " + std::to_string(rank) + ", must be in 0.." +
                            std::to_string(size() - 1));
    }
    state_->take_seat(rank);
    return {state_, state_->seat(rank)};
}

} // namespace tutti
