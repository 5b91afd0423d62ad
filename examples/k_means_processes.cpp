// k-means with OpenMP threads in several MPI processes, of which each has its own points:
//
//   mpirun -n 2 k_means_processes [points of a process] [threads]
//
// With Tutti each thread adds up its points, and one call gives the sums of all threads of all processes,
// once per process. Beside it the same by hand: OpenMP's reduction of an array, MPI_Allreduce by the master,
// and a barrier.

#include "in_turns.hpp"
#include "k_means.hpp"

#include <tutti/mpi.hpp>

#include <omp.h>

#include <cstdio>
#include <cstdlib>

static void with_tutti(const Points& points, Points& result, int threads, tutti::Cluster& cluster) {
    Points all(2 * clusters); // the threads of the process share it
#pragma omp parallel num_threads(threads)
    {
        tutti::ClusterMember me = cluster.join(omp_get_thread_num());
        iterate(points, result, [&](Points& sums) -> const Points& {
            me.allreduce(sums, tutti::shared(all), tutti::sum);
            return all; // which nobody changes before this thread calls again
        });
    }
}

static void by_hand(const Points& points, Points& centres, int threads) {
    Points sums(2 * clusters);
    auto* const numbers = reinterpret_cast<double*>(sums.data()); // OpenMP adds up no complex ones
#pragma omp parallel num_threads(threads)
    for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma omp for reduction(+ : numbers[:4 * clusters])
        for (std::size_t i = 0; i < points.size(); ++i) {
            add_to_nearest(points[i], centres, reinterpret_cast<std::complex<double>*>(numbers));
        }
#pragma omp master
        {
            MPI_Allreduce(MPI_IN_PLACE, numbers, 4 * clusters, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            move(centres, sums);
            std::ranges::fill(sums, 0.0);
        }
#pragma omp barrier
    }
}

int main(int argc, char** argv) {
    int level = 0, process = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    const Points points =
        points_of(process, argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 10'000);
    const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
    const Points first = points_of(0, clusters); // the same in all processes
    Points tutti, hand;
    std::vector<double> us;
    {
        tutti::Cluster cluster(tutti::Group(threads), MPI_COMM_WORLD); // ends before MPI does
        us = in_turns(21, {[&] { with_tutti(points, tutti = first, threads, cluster); },
                           [&] { by_hand(points, hand = first, threads); }});
        if (process == 0) {
            std::printf("%d processes of %d threads with %zu points; an iteration with one call of every "
                        "thread %.1f us, OpenMP and MPI_Allreduce by hand %.1f us\n",
                        cluster.processes(), threads, points.size(), us[0] / iterations, us[1] / iterations);
        }
    }
    MPI_Finalize();
    return tutti == hand && tutti != first ? 0 : 1;
}
