// Conjugate gradients for the Poisson equation on a cube, with OpenMP threads in several MPI processes:
//
//   mpirun -n 2 conjugate_gradient [points in each direction] [threads]
//
// Every iteration needs two dot products over all threads of all processes. With Tutti each is one call that
// every thread makes; beside it, the same by hand: the threads add up in shared memory, the master calls
// MPI_Allreduce, and two barriers keep everybody in step.

#include "in_turns.hpp"
#include "solver.hpp"

#include <tutti/mpi.hpp>

#include <omp.h>

#include <cstdio>
#include <cstdlib>

namespace {

Result with_tutti(const Poisson& matrix, int threads, tutti::Cluster& cluster) {
    return solve(matrix, threads, [&](const auto& body) {
#pragma omp parallel num_threads(threads)
        {
            tutti::ClusterMember me = cluster.join(omp_get_thread_num());
            body([&](double value) { return me.allreduce(value, tutti::sum); });
        }
    });
}

Result by_hand(const Poisson& matrix, int threads) {
    double local = 0;
    double all = 0;
    const Sum sum = [&](double value) {
#pragma omp atomic
        local += value;
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            MPI_Allreduce(&local, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            local = 0;
        }
#pragma omp barrier
        return all;
    };
    return solve(matrix, threads, [&](const auto& body) {
#pragma omp parallel num_threads(threads)
        body(sum);
    });
}

} // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    const std::size_t n = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 64;
    const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
    const Poisson matrix(n);
    Result tutti, hand;
    std::vector<double> us;
    {
        tutti::Cluster cluster(tutti::Group(threads), MPI_COMM_WORLD); // ends before MPI does
        us = in_turns(5, {[&] { tutti = with_tutti(matrix, threads, cluster); },
                          [&] { hand = by_hand(matrix, threads); }});
    }
    if (matrix.is_first()) {
        std::printf(
            "%zu^3 points, %d and %d iterations; us an iteration: one call of every thread %.1f, OpenMP and "
            "MPI_Allreduce by hand %.1f\n",
            n, tutti.iterations, hand.iterations, us[0] / tutti.iterations, us[1] / hand.iterations);
    }
    MPI_Finalize();
    return tutti.error < 1e-6 && hand.error < 1e-6 ? 0 : 1;
}
