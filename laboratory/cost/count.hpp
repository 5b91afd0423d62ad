#pragma once

#include "algorithm/registry.hpp"
#include "schedule/schedule.hpp"

#include <vector>

namespace tutti::cost {

/// The members' work, counted from the schedule.
struct Tally {
    /// Rounds in which any member reads or writes another's vector.
    long rounds = 0;
    // One entry for each member, or just one that stands for all where they are symmetric:
    /// Blocks read from others or stored here by others; a block read twice in a round counts once.
    std::vector<long> received;
    /// Blocks that others read from here or that are stored into others, counted in the same way.
    std::vector<long> sent;
    /// Blocks combined: `every` combines ranks - 1 times for each block. A barrier's tokens are not data:
    /// they are neither combined nor kept.
    std::vector<long> reductions;
    /// Blocks of all scratch vectors together; where one entry stands for all, of the member with the most.
    std::vector<long> scratch;

    /// Rounds, and blocks received and combined by the member with the most.
    algorithm::CostTerms most() const;
    /// Scratch of the member with the most.
    long most_scratch() const;
    long most_sent() const;
};

/// O(blocks moved), on a torus of two or more dimensions times the ranks of one slowest coordinate.
Tally tally(const schedule::Schedule& schedule);

} // namespace tutti::cost
