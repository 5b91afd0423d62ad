#include "hand_written.hpp"

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

void HandWritten::run(const Work& work, const double* in, double* out) {
    const int thread = omp_get_thread_num();
    inputs_[static_cast<std::size_t>(thread)] = in;
#pragma omp barrier
    combine(thread, work.elements);
#pragma omp barrier
    const bool scatters = work.collective == Collective::reduce_scatter;
    if (thread == 0) {
        const int elements = static_cast<int>(work.elements);
        if (scatters) {
            const int own = static_cast<int>(work.block_elements()) * threads_;
            MPI_Reduce_scatter_block(shared_.data(), blocks_.data(), own, MPI_DOUBLE, MPI_SUM, communicator_);
        } else {
            MPI_Allreduce(MPI_IN_PLACE, shared_.data(), elements, MPI_DOUBLE, MPI_SUM, communicator_);
        }
    }
#pragma omp barrier
    const std::size_t block = work.block_elements();
    const double* const result =
        scatters ? blocks_.data() + static_cast<std::size_t>(thread) * block : shared_.data();
    std::memcpy(out, result, (scatters ? block : work.elements) * sizeof(double));
}

} // namespace tutti::bench
