// Under OMP_PLACES, in each of two processes: the runtime binds the threads of both to the same CPUs, because
// the launcher has given the processes the same. divide_cpus() still gives each its own, and a
// PinnedThread is there.

#include <tutti/mpi.hpp>
#include <tutti/placement.hpp>

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const auto on_node = static_cast<int>(tutti::cpus_of_placement(tutti::Placement::compact, 0).size());
    int wrong = on_node < processes || omp_get_num_places() == 0 ? 77 : 0;
    for (int i = 0; i < 2 && wrong == 0; ++i) { // before and after the runtime has bound threads
        const tutti::CpuShare share = tutti::divide_cpus(MPI_COMM_WORLD);
        const std::vector<int> cpus = tutti::cpus_of_placement(share.placement, share.cpus);
        std::vector<int> users(CPU_SETSIZE);
#pragma omp parallel num_threads(share.cpus)
        {
            const tutti::PinnedThread pinned(cpus[static_cast<std::size_t>(omp_get_thread_num())]);
#pragma omp critical
            ++users[static_cast<std::size_t>(sched_getcpu())];
        }
        MPI_Allreduce(MPI_IN_PLACE, users.data(), CPU_SETSIZE, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong = std::ranges::max(users) != 1 || std::ranges::count(users, 1) != on_node ? 1 : 0;
        std::printf("%s: %s\n", share.placement.text().c_str(), share.note.c_str());
    }
    MPI_Finalize();
    return wrong;
}
