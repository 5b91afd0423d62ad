#pragma once

#include "machine/machine.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

#include <cstddef>

namespace tutti::execute {

/// The bytes of all members' vectors together, when each member's whole vector has `total_bytes`.
std::size_t touched_bytes(detail::Kind kind, std::size_t total_bytes, int members);

/// How an operation that touches so many bytes in all is written on a machine with these caches.
class Caches {
public:
    explicit Caches(const machine::Machine& machine);

    /// Those of this machine.
    TUTTI_COMPONENT_API static const Caches& here();

    /// Whether a member writes its own vector past the caches of the CPUs on which all members run, which
    /// have so many L3 caches.
    TUTTI_COMPONENT_API bool streams_to_own(std::size_t touched_bytes, int cpus, int l3_groups = 1) const;

    /// Whether it writes those of others so.
    bool streams_to_others(std::size_t touched_bytes, int cpus, int l3_groups = 1) const;

    /// Whether two members rather combine everything each for itself than store to each other.
    bool pulls_between_two(std::size_t touched_bytes) const;

    /// Whether who has a block stores it for all that want it, instead of their fetching it.
    bool pushes(std::size_t touched_bytes, int l3_groups = 1) const;

private:
    /// Where so many halves of each CPU's L2, or the L3 caches, are full.
    std::size_t reach_bytes(int cpus, int l3_groups, std::size_t l2_halves) const;
    std::size_t l3_bytes(int l3_groups) const { return static_cast<std::size_t>(l3_groups) * l3_bytes_; }

    std::size_t l2_bytes_;
    std::size_t l2_caches_;
    std::size_t l3_bytes_;
    bool takes_lines_back_one_by_one_;
    bool lives_in_l2_;
};

} // namespace tutti::execute
