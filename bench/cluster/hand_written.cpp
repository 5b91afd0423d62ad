#include "cluster/hand_written.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

namespace tutti::bench {

HandWritten::HandWritten(int threads, int first_rank, std::size_t most_elements, MPI_Comm communicator)
    : threads_(threads), first_rank_(first_rank), communicator_(communicator),
      inputs_(static_cast<std::size_t>(threads)), shared_(most_elements), blocks_(most_elements) {}

/// This thread's slice of the sum of all threads' vectors, in pieces that stay in the cache.
void HandWritten::combine(int thread, std::size_t elements) {
    constexpr std::size_t piece = 1024;
    const auto index = static_cast<std::size_t>(thread);
    const auto count = static_cast<std::size_t>(threads_);
    const std::size_t end = elements * (index + 1) / count;
    for (std::size_t first = elements * index / count; first < end; first += piece) {
        const std::size_t last = std::min(first + piece, end);
        double* const sum = shared_.data();
        std::copy(inputs_[0] + first, inputs_[0] + last, sum + first);
        for (std::size_t other = 1; other < count; ++other) {
            const double* const input = inputs_[other];
            for (std::size_t i = first; i < last; ++i) {
                sum[i] += input[i];
            }
        }
    }
}

void HandWritten::run(const Problem& problem, const double* in, double* out) {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    inputs_[thread] = in;
    if (problem.collective == Collective::allgather) {
        std::memcpy(&shared_[thread * problem.block_elements()], in,
                    problem.block_elements() * sizeof(double));
    } else if (problem.reduces()) {
#pragma omp barrier
        combine(static_cast<int>(thread), problem.elements);
    }
#pragma omp barrier
    if (thread == 0) {
        carry(problem, out);
    }
#pragma omp barrier
    take(problem, thread, out);
}

/// The master's part: from what the threads have put together.
void HandWritten::carry(const Problem& problem, double* out) {
    const int elements = static_cast<int>(problem.elements);
    const int own = static_cast<int>(problem.block_elements()) * threads_;
    switch (problem.collective) {
    case Collective::reduce_scatter:
        MPI_Reduce_scatter_block(shared_.data(), blocks_.data(), own, MPI_DOUBLE, MPI_SUM, communicator_);
        break;
    case Collective::allgather:
        MPI_Allgather(shared_.data(), own, MPI_DOUBLE, blocks_.data(), own, MPI_DOUBLE, communicator_);
        break;
    case Collective::broadcast:
        MPI_Bcast(out, elements, MPI_DOUBLE, 0, communicator_);
        break;
    case Collective::reduce:
        MPI_Reduce(shared_.data(), out, elements, MPI_DOUBLE, MPI_SUM, 0, communicator_);
        break;
    default:
        MPI_Allreduce(MPI_IN_PLACE, shared_.data(), elements, MPI_DOUBLE, MPI_SUM, communicator_);
    }
}

void call_bare(const Problem& problem, const double* in, double* out, MPI_Comm communicator) {
    const int elements = static_cast<int>(problem.elements);
    const int own = static_cast<int>(problem.block_elements());
    switch (problem.collective) {
    case Collective::reduce_scatter:
        MPI_Reduce_scatter_block(in, out, own, MPI_DOUBLE, MPI_SUM, communicator);
        break;
    case Collective::allgather:
        MPI_Allgather(in, own, MPI_DOUBLE, out, own, MPI_DOUBLE, communicator);
        break;
    case Collective::broadcast:
        MPI_Bcast(out, elements, MPI_DOUBLE, Problem::root, communicator);
        break;
    case Collective::reduce:
        MPI_Reduce(in, out, elements, MPI_DOUBLE, MPI_SUM, Problem::root, communicator);
        break;
    default:
        MPI_Allreduce(in, out, elements, MPI_DOUBLE, MPI_SUM, communicator);
    }
}

/// Every thread copies what it wants.
void HandWritten::take(const Problem& problem, std::size_t thread, double* out) {
    const std::size_t block = problem.block_elements();
    switch (problem.collective) {
    case Collective::reduce_scatter:
        std::memcpy(out, &blocks_[thread * block], block * sizeof(double));
        break;
    case Collective::allgather:
        std::memcpy(out, blocks_.data(), problem.elements * sizeof(double));
        break;
    case Collective::broadcast:
        if (thread != 0) {
            std::memcpy(out, inputs_[0], problem.elements * sizeof(double));
        }
#pragma omp barrier
        break; // the master's vector is its own again
    case Collective::reduce:
        break;
    default:
        std::memcpy(out, shared_.data(), problem.elements * sizeof(double));
    }
}

} // namespace tutti::bench
