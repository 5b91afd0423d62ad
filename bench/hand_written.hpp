#pragma once

#include "work.hpp"

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace tutti::bench {

/// What hybrid programs do by hand, well done: the OpenMP threads of a process combine slices of their
/// vectors, the master carries the sum over MPI, and every thread copies the result. Sums of doubles.
class HandWritten {
public:
    /// Vectors of up to `most_elements`; `first_rank`: the global rank of this process's thread 0.
    HandWritten(int threads, int first_rank, std::size_t most_elements, MPI_Comm communicator);

    /// One allreduce or reduce_scatter, called by every thread of a parallel region of `threads`.
    void run(const Work& work, const double* in, double* out);

private:
    void combine(int thread, std::size_t elements);

    int threads_;
    int first_rank_;
    MPI_Comm communicator_;
    std::vector<const double*> inputs_;
    std::vector<double> shared_;
    std::vector<double> blocks_;
};

} // namespace tutti::bench
