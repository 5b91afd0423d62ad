// Jacobi iterations for the temperatures of a plate, with OpenMP threads in several MPI processes:
//
//   mpirun -n 2 jacobi_processes [points per side of a square] [threads]
//
// Each thread has a square, one below the other, between two rows of halo. With Tutti one call of every
// thread exchanges the border rows after each sweep, within a process and between processes. Beside it the
// same by hand: the threads read the border rows of their process after an OpenMP barrier, and the master
// exchanges those of the process by MPI_Neighbor_alltoallv.

#include "in_turns.hpp"
#include "plate.hpp"

#include <tutti/mpi.hpp>

#include <omp.h>

#include <cstdio>
#include <cstdlib>

static void with_tutti(std::vector<Square>& plate, tutti::Cluster& cluster) {
#pragma omp parallel num_threads(static_cast <int>(plate.size()))
    {
        tutti::ClusterMember me = cluster.join(omp_get_thread_num());
        with_halo(me, plate[static_cast<std::size_t>(omp_get_thread_num())]);
    }
}

/// `halo`: the rows above and below the squares of the process.
static void by_hand(std::vector<Square>& plate, std::vector<double>& halo, MPI_Comm column) {
    const std::size_t last = plate.size() - 1, n = plate[0].width, rows = plate[0].points;
    const int counts[2] = {static_cast<int>(n), static_cast<int>(n)}, places[2] = {0, static_cast<int>(n)};
    std::vector<double> border(2 * n);
#pragma omp parallel num_threads(static_cast <int>(last + 1))
    for (std::size_t i = 0; i < sweeps; ++i) {
        const auto thread = static_cast<std::size_t>(omp_get_thread_num());
        plate[thread].sweep(i % 2, thread > 0 ? plate[thread - 1].row(i % 2, rows) : halo.data(),
                            thread < last ? plate[thread + 1].row(i % 2, 1) : &halo[n]);
#pragma omp barrier
#pragma omp master
        {
            std::copy_n(plate[0].row(1 - i % 2, 1), n, border.begin());
            std::copy_n(plate[last].row(1 - i % 2, rows), n, &border[n]);
            MPI_Neighbor_alltoallv(border.data(), counts, places, MPI_DOUBLE, halo.data(), counts, places,
                                   MPI_DOUBLE, column);
        }
#pragma omp barrier
    }
}

int main(int argc, char** argv) {
    int level = 0, process = 0, processes = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const auto points = static_cast<std::size_t>(argc > 1 ? std::atoi(argv[1]) : 1024);
    const int threads = argc > 2 ? std::atoi(argv[2]) : 2, wraps = 0;
    MPI_Comm column = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &processes, &wraps, 0, &column);
    std::vector<Square> plate(static_cast<std::size_t>(threads), Square(points));
    if (process == 0) {
        for (std::vector<double>& field : plate[0].fields) {
            std::fill_n(field.begin(), points + 2, 100.0);
        }
    }
    std::vector<Square> hand = plate;
    std::vector<double> halo(2 * plate[0].width, 0.0);
    std::copy_n(plate[0].row(0, 0), plate[0].width, halo.begin());
    {
        tutti::Cluster cluster(tutti::Group(threads), MPI_COMM_WORLD); // ends before MPI does
        const std::vector<double> us =
            in_turns(9, {[&] { with_tutti(plate, cluster); }, [&] { by_hand(hand, halo, column); }});
        if (process == 0) {
            std::printf(
                "%d threads of %zu x %zu points, us for a sweep: one call of every thread %.1f, by hand "
                "%.1f; ratio %.3f\n",
                cluster.size(), points, points, us[0] / sweeps, us[1] / sweeps, us[0] / us[1]);
        }
    }
    MPI_Comm_free(&column);
    MPI_Finalize();
    return equal_but_for_halo(plate, hand) ? 0 : 1;
}
