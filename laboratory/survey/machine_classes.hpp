#pragma once

#include "machine/machine.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::laboratory {

/// The CPUs to be compared, each with each, in logical order: all, or where there are more, at most so many
/// of them, from all over the machine. All distances are among them if it has enough CPUs for that. \pre most
/// > 0
std::vector<machine::Pu> cpus_to_compare(const machine::Machine& machine, std::size_t most);

/// The first of each core, in the order in which they come.
std::vector<machine::Pu> one_of_each_core(std::span<const machine::Pu> pus);

} // namespace tutti::laboratory
