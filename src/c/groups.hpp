#pragma once

#include <tutti/group.hpp>
#include <tutti/team.hpp>
#include <tutti/tutti.h>

struct tutti_group {
    tutti::Group group;
};

struct tutti_team {
    tutti::Team team;
};
