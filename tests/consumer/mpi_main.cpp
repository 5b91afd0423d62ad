// Uses a cluster of one process, as a program outside the tree does; with or without mpirun.

#include <tutti/mpi.hpp>

#include <atomic>

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    std::atomic<int> wrong = 0;
    {
        tutti::Team team(2, {.placement = tutti::Placement::none});
        tutti::Cluster cluster(team, MPI_COMM_WORLD);
        cluster.run([&](tutti::ClusterMember& me) { wrong += me.allreduce(1, tutti::sum) != me.size(); });
    }
    MPI_Finalize();
    return wrong;
}
