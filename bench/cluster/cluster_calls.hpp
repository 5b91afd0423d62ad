#pragma once

#include "measure/problem.hpp"

#include <tutti/mpi.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::bench {

/// The strategy and the algorithm that a call of the cluster names.
struct Variant {
    std::string way = "auto";
    std::string algorithm = "auto";

    /// The choices that are not left to the library, or "auto".
    std::string name() const;
};

/// Every way with every algorithm.
std::vector<Variant> variants_of(const std::vector<std::string>& ways,
                                 const std::vector<std::string>& algorithms);

/// Whether call_cluster() and HandWritten support it.
bool is_measured(Collective collective);
inline constexpr const char* measured_collectives = "allreduce, reduce_scatter, allgather, broadcast, reduce";

/// The options with these names, which refer to it.
Options options_of(const Variant& variant);

/// One call: a sum of doubles where it reduces, rooted at Problem::root.
void call_cluster(mpi::Member& me, const Problem& problem, const Options& options, const double* in,
                  double* out);

} // namespace tutti::bench
