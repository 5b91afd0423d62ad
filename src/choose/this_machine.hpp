#pragma once

#include "machine/machine.hpp"
#include "machine/thresholds.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tutti::tuning {

/// This machine as it was at the first call.
const machine::Machine& this_machine();

/// The thresholds of this machine's processor family.
const machine::Thresholds& this_thresholds();

inline constexpr std::size_t fingerprint_lines = 5;

/// The properties of a machine on which times depend, as lines of printable ASCII: the processor's model, the
/// allowed CPUs, how many cores they are, and their L2 and L3 caches.
std::vector<std::string> fingerprint(const machine::Machine& machine);

/// The number of groups of CPUs that share an L3 on which members on these CPUs run, 1 if unknown;
/// machine::unpinned stands for any CPU.
int l3_groups(const machine::Machine& machine, std::span<const int> cpus);

} // namespace tutti::tuning
