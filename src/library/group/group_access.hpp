#pragma once

#include <tutti/group.hpp>
#include <tutti/team.hpp>

namespace tutti::v0_1::detail {

/// The state of a group, or of the group of a team, for components that make more of it.
class GroupAccess {
public:
    static const GroupState& of(const Group& group) { return *group.state_; }
    static const GroupState& of(const Team& team) { return team.state(); }
};

} // namespace tutti::v0_1::detail
