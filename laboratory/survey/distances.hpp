#pragma once

#include "distance/class.hpp"
#include "distance/groups.hpp"
#include "machine/machine.hpp"

#include <span>

namespace tutti::laboratory {

/// How far two CPUs are from each other, according to hwloc. A part that hwloc does not report is shared by
/// no CPUs, except the socket. \pre two different CPUs
distance::Class class_of(const machine::Pu& one, const machine::Pu& other);

/// CPUs that are at most so far from each other. \pre not all distances: nothing is further than a link
distance::Groups groups_within(std::span<const machine::Pu> pus, distance::Class distance);

} // namespace tutti::laboratory
