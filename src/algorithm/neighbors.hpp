#pragma once

#include "schedule/schedule.hpp"

#include <span>
#include <string>
#include <vector>

namespace tutti::algorithm {

/// The neighbours that a member names: those from which it receives, and those to which it sends; or
/// schedule::Source::nobody.
struct NamedNeighbors {
    std::vector<int> sources;
    std::vector<int> destinations;
};

/// The graph in which the members have named these neighbours. The i-th edge of several from one member to
/// another is the i-th for both. Throws std::invalid_argument if a rank does not exist, or if the two ends of
/// an edge do not name it equally often. O(e log e + p) for e edges.
schedule::Graph graph_of(std::span<const NamedNeighbors> members);

/// The neighbours of a member in a Cartesian grid: before and after it along each dimension. The last
/// coordinate of consecutive ranks changes fastest. \pre `wraps` has as many entries as `dims`.
std::vector<int> grid_neighbors(int rank, const std::vector<int>& dims, const std::vector<bool>& wraps);

/// The graph of all of them. Block 2 d of a member goes to the member before it along dimension d, as whose
/// block 2 d + 1 it arrives, and the other way round.
schedule::Graph grid(const std::vector<int>& dims, const std::vector<bool>& wraps);

/// All-to-all among neighbours: every member copies each block of its output from the input of its sender,
/// in one round. The number of blocks is that of the member with the most.
schedule::Schedule neighbor_exchange(schedule::Graph graph);

} // namespace tutti::algorithm
