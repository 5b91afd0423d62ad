#pragma once

#include "peers/peer.hpp"

namespace tutti::bench {

/// A member's share of a problem: one pass over the data in blocks that stay in the first-level cache, plain
/// loops that the compiler vectorises for the machine it runs on, and stores past the caches where the
/// vectors do not fit into them. It synchronises nothing: what goes around it is up to the peer. Empty where
/// there are no such passes.
Calls plain_loops(const Problem& problem, int rank, const Vectors& vectors);

} // namespace tutti::bench
