// Uses a cluster of one process, as a program outside the tree does; with or without mpirun.

#include <tutti/mpi.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    int sum = 0;
    int size = 0;
    {
        tutti::Team team(2, {.placement = "none"});
        tutti::mpi::Cluster cluster(team, MPI_COMM_WORLD);
        size = cluster.size();
        cluster.run([&](tutti::mpi::Member& me) {
            const int all = me.allreduce(me.rank() + 1, tutti::sum);
            if (me.rank() == 0) {
                sum = all;
            }
        });
    }
    MPI_Finalize();
    std::printf("%d members, sum %d\n", size, sum);
    return sum == size * (size + 1) / 2 ? 0 : 1;
}
