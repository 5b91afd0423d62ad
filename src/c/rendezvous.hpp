#pragma once

#include <tutti/rendezvous.hpp>
#include <tutti/tutti.h>

struct tutti_rendezvous {
    tutti::Rendezvous rendezvous;
};
