#pragma once

#include <tutti/async_group.hpp>
#include <tutti/tutti.h>

struct tutti_async_group {
    tutti::AsyncGroup async_group;
};
