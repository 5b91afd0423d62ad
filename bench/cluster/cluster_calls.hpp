#pragma once

#include "measure/point.hpp"
#include "measure/problem.hpp"

#include <tutti/mpi.hpp>

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::bench {

/// Whether call_cluster() and HandWritten know it.
bool is_measured(Collective collective);
inline constexpr const char* measured_collectives = "allreduce, reduce_scatter, allgather, broadcast, reduce";

/// One call: a sum of doubles where it reduces, rooted at Problem::root.
void call_cluster(ClusterMember& me, const Problem& problem, const Options& options, const double* in,
                  double* out);

/// Hand-written hybrid code, well done: the OpenMP threads of a process combine slices of their vectors, or
/// put their blocks together, the master carries these over MPI, and every thread copies the result. If they
/// share the result, they combine there, the master calls MPI in place, and nobody copies. Sums of doubles;
/// rooted at the first thread of the first process.
class HandWritten {
public:
    /// Vectors of up to `most_elements`; `first_rank`: the global rank of this process's thread 0.
    HandWritten(int threads, int first_rank, std::size_t most_elements, MPI_Comm communicator);

    /// One collective that call_cluster() supports, called by every thread of a parallel region of `threads`.
    void run(const Problem& problem, const double* in, double* out);

private:
    void combine(int thread, std::size_t elements, double* sum) const;
    void carry(const Problem& problem, double* out);
    void carry_in_place(const Problem& problem, double* out) const;
    void take(const Problem& problem, std::size_t thread, double* out);

    int threads_;
    int first_rank_;
    MPI_Comm communicator_;
    std::vector<const double*> inputs_;
    std::vector<double> shared_;
    std::vector<double> blocks_;
};

/// The bare call of MPI, on the vectors themselves.
void call_bare(const Problem& problem, const double* in, double* out, MPI_Comm communicator);

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

} // namespace tutti::bench
