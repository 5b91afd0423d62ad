#pragma once

#include "measure/point.hpp"

#include <string>
#include <vector>

namespace tutti::bench {

/// The measurements of `tutti bench --hybrid`.
struct Results {
    /// The cluster, in one line.
    std::string title = {};
    /// The points of the providers "hybrid", "hand-written" and "openmpi" (flat), in any order.
    std::vector<Point> points = {};
    /// Why there are no points of flat MPI, or not all.
    std::string failure = {};
};

/// One table, and how far the cluster is ahead of the others.
std::string hybrid_text(const Results& results, std::size_t width);

/// Writes the points as a JSON array, unless `path` is empty. Throws std::runtime_error when it cannot.
void write_points(const std::string& path, const Results& results);

bool has_wrong(const Results& results);

} // namespace tutti::bench
