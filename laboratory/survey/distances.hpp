#pragma once

#include "distance/groups.hpp"
#include "distance/line_profile.hpp"
#include "machine/machine.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tutti::laboratory {

/// How far two CPUs are from each other, according to hwloc. A part that hwloc does not report is shared by
/// no CPUs, except the socket. \pre two different CPUs
distance::Class class_of(const machine::Pu& one, const machine::Pu& other);

/// CPUs that are at most so far from each other. \pre not all distances: nothing is further than a link
distance::Groups groups_within(std::span<const machine::Pu> pus, distance::Class distance);

/// The CPUs to be compared, each with each, in logical order: all, or where there are more, at most so many
/// of them, from all over the machine. All distances are among them if it has enough CPUs for that. \pre most
/// > 0
std::vector<machine::Pu> cpus_to_compare(const machine::Machine& machine, std::size_t most);

/// The first of each core, in the order in which they come.
std::vector<machine::Pu> one_of_each_core(std::span<const machine::Pu> pus);

/// How groups that show in the times differ from what hwloc states of the CPUs, a sentence each: groups that
/// hwloc does not report, such as caches that a virtual machine hides, and those that do not show. Nothing
/// where they are the same. \pre the levels were found among these CPUs, numbered as they come
std::vector<std::string> differences(std::span<const machine::Pu> pus, const distance::Matrix& one_way_ns,
                                     const std::vector<distance::FoundLevel>& found);

/// The results of `tutti measure`.
struct Survey {
    /// The CPUs that were compared, each with each, and the times of lines between them.
    std::vector<machine::Pu> pus;
    distance::Matrix one_way_ns{0};
    distance::MachineModel profile;
};

/// Measures the profile of this machine in about so many seconds, or less; of more than 64 CPUs it compares
/// some. On a slow machine the steps that are left get what time is left. Says on stderr how far it is, if
/// that is to be shown. Throws std::runtime_error where threads cannot be pinned, std::bad_alloc. \pre at
/// least 2 CPUs
Survey survey(const machine::Machine& machine, double seconds, bool progress_shown);

} // namespace tutti::laboratory
