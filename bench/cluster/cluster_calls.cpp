#include "cluster/cluster_calls.hpp"

#include "flat_mpi/mpi_calls.hpp"
#include "measure/by_collective.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace tutti::bench {

bool is_measured(Collective collective) {
    return collective == Collective::allreduce || collective == Collective::reduce_scatter ||
           collective == Collective::allgather || collective == Collective::broadcast ||
           collective == Collective::reduce;
}

void call_cluster(ClusterMember& me, const Problem& problem, const Options& options, const double* in,
                  double* out) {
    const std::span from(in, problem.input_elements(me.rank()));
    const std::span to(out, problem.output_elements(me.rank()));
    if (problem.shared) {
        problem.collective == Collective::allreduce ? me.allreduce(from, shared(to), tutti::sum, options)
                                                    : me.allgather(from, shared(to), options);
        return;
    }
    call_by_collective(me, problem.collective, tutti::sum, Problem::root, options, from, to);
}

HandWritten::HandWritten(int threads, int first_rank, std::size_t most_elements, MPI_Comm communicator)
    : threads_(threads), first_rank_(first_rank), communicator_(communicator),
      inputs_(static_cast<std::size_t>(threads)), shared_(most_elements), blocks_(most_elements) {}

/// This thread's slice of the sum of all threads' vectors, in pieces that stay in the cache.
void HandWritten::combine(int thread, std::size_t elements, double* sum) const {
    constexpr std::size_t piece = 1024;
    const auto index = static_cast<std::size_t>(thread);
    const auto count = static_cast<std::size_t>(threads_);
    const std::size_t end = elements * (index + 1) / count;
    for (std::size_t first = elements * index / count; first < end; first += piece) {
        const std::size_t last = std::min(first + piece, end);
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
    double* const together = problem.shared ? out : shared_.data();
    if (problem.collective == Collective::allgather) {
        const std::size_t first = problem.shared ? static_cast<std::size_t>(first_rank_) : 0;
        std::memcpy(together + (first + thread) * problem.block_elements(), in,
                    problem.block_elements() * sizeof(double));
    } else if (problem.reduces()) {
#pragma omp barrier
        combine(static_cast<int>(thread), problem.elements, together);
    }
#pragma omp barrier
    if (thread == 0) {
        problem.shared ? carry_in_place(problem, out) : carry(problem, out);
    }
#pragma omp barrier
    if (!problem.shared) {
        take(problem, thread, out);
    }
}

namespace {

/// A sum of doubles if it reduces; `own` are the elements of a process's block.
void call_mpi(const Problem& problem, const void* in, double* out, int own, MPI_Comm communicator) {
    make_mpi_call(problem.collective, {.in = in,
                                       .out = out,
                                       .elements = static_cast<int>(problem.elements),
                                       .block = own,
                                       .type = MPI_DOUBLE,
                                       .op = MPI_SUM,
                                       .communicator = communicator,
                                       .rank = 0,
                                       .members = problem.members});
}

} // namespace

void call_bare(const Problem& problem, const double* in, double* out, MPI_Comm communicator) {
    call_mpi(problem, in, out, static_cast<int>(problem.block_elements()), communicator);
}

/// The master's part: from what the threads have put together.
void HandWritten::carry(const Problem& problem, double* out) {
    const bool is_allreduce = problem.collective == Collective::allreduce;
    double* const to = problem.has_blocks() ? blocks_.data() : is_allreduce ? shared_.data() : out;
    call_mpi(problem, is_allreduce ? MPI_IN_PLACE : shared_.data(), to,
             static_cast<int>(problem.block_elements()) * threads_, communicator_);
}

/// The same for one result per process.
void HandWritten::carry_in_place(const Problem& problem, double* out) const {
    call_mpi(problem, MPI_IN_PLACE, out, static_cast<int>(problem.block_elements()) * threads_,
             communicator_);
}

/// Every thread copies what it wants.
void HandWritten::take(const Problem& problem, std::size_t thread, double* out) {
    const auto copy = [&](const double* from, std::size_t elements) {
        std::memcpy(out, from, elements * sizeof(double));
    };
    const detail::CollectiveTraits& traits = detail::traits_of(problem.collective);
    if (traits.result == detail::Result::of_root) {
        if (thread != 0) {
            copy(inputs_[0], problem.elements);
        }
#pragma omp barrier // the master's vector is its own again
    } else if (traits.scatters()) {
        copy(&blocks_[thread * problem.block_elements()], problem.block_elements());
    } else if (!traits.is_rooted()) {
        copy(traits.gathers() ? blocks_.data() : shared_.data(), problem.elements);
    }
}

} // namespace tutti::bench
