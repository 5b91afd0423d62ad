#pragma once

#include "machine/machine.hpp"

#include <tutti/detail/export.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::machine {

/// Which member sits on which CPU, as a rule.
enum class Placement {
    /// Neighbours close together, one member per core while cores suffice. The cores are taken in logical
    /// order,
    /// each with its first allowed hardware thread; only when every core has a member do second hardware
    /// threads
    /// come in, again in logical order. Members are then numbered in logical order, so that members r and r+1
    /// share a core, an L2, an L3 or a package wherever two members can: what OMP_PLACES=cores with
    /// OMP_PROC_BIND=close gives.
    compact,
    /// Members far apart, for the most cache and memory bandwidth each: dealt round robin over packages,
    /// within a
    /// package over its NUMA nodes, then L3 groups, then L2 groups, then cores. Second hardware threads come
    /// in,
    /// in the same order, only when every core of the machine has a member.
    scatter,
    /// Nobody is pinned; the operating system places the threads.
    none,
};

/// A rule, kinds of cores or an explicit list, as a user states it.
struct PlacementRequest {
    Placement rule = Placement::compact;
    std::vector<Kind> kinds{};   ///< if not empty: only CPUs of these, those of the first kind first
    std::vector<int> os_indices; ///< if not empty: these CPUs in this order, whatever `rule` is

    bool operator==(const PlacementRequest&) const = default;
};

/// The result of place() for a member that is not to be pinned.
inline constexpr int unpinned = -1;

/// The operating-system CPU number of each of `members` members, or `unpinned` for all with Placement::none.
/// More members than allowed CPUs go round: member i + q shares the CPU of member i, q being the number of
/// CPUs, so no CPU has two members more than another. \throws std::invalid_argument if members < 1.
std::vector<int> place(const Machine& machine, int members, Placement rule);

/// The machine with only the CPUs of these kinds, those of the first kind first: placements prefer them,
/// because they count as first in logical order. All CPUs if there are no kinds. \throws
/// std::invalid_argument naming the kinds of the machine if no CPU is left.
Machine of_kinds(Machine machine, const std::vector<Kind>& kinds);

/// The same for any request. For a list, member i gets entry i, going round if the list is shorter than the
/// members. A CPU listed twice takes two members. \throws std::invalid_argument if members < 1, or naming the
/// first entry that is not an allowed CPU, and the allowed ones; see of_kinds().
std::vector<int> place(const Machine& machine, int members, const PlacementRequest& request);

/// The same beside threads that hold CPUs: a rule places the members on the CPUs that are least often in
/// `held`, and among these first on cores whose CPUs are all held equally often. Still no CPU has two members
/// more than another. If all CPUs are held equally often, the members are placed as if nothing was held. A
/// list is used as it is. In `held`, `unpinned` is ignored.
std::vector<int> place_beside(const Machine& machine, int members, const PlacementRequest& request,
                              std::span<const int> held);

/// The numbers of the package, NUMA node, L3 and core of each of these CPUs: a list each, outermost first,
/// without those that are unknown for any of the CPUs. Empty if one of them is `unpinned`.
std::vector<std::vector<int>> parts_of(const Machine& machine, std::span<const int> cpus);

/// Reads "compact", "scatter", "none", a list of names of kinds, or a list of CPU numbers and ascending
/// ranges such as "0,2,4-7". \throws std::invalid_argument naming the part that is none of these.
PlacementRequest parse_placement(std::string_view text);

/// The reverse of parse_placement.
std::string to_string(const PlacementRequest& request);

/// The CPUs of these PUs: the first hardware thread of every core, in logical order, then the second ones,
/// and so on.
TUTTI_COMPONENT_API std::vector<int> cores_first(std::span<const Pu> pus);

} // namespace tutti::machine
