// Clusters before MPI_Init, after MPI_Finalize, and in a process that dies: `lifecycle`, `lifecycle dies`.

#include <tutti/mpi.hpp>

#include <csignal>
#include <cstdio>
#include <string_view>

namespace {

int failures = 0;

/// Checks that `body` throws a tutti::Error whose text has `part` in it.
template <class Body>
void expect(const char* what, std::string_view part, Body body) {
    try {
        body();
        std::printf("%s: nothing was thrown\n", what);
        ++failures;
    } catch (const tutti::Error& error) {
        const bool says = std::string_view(error.what()).find(part) != std::string_view::npos;
        std::printf("%s: %s%s\n", what, error.what(), says ? "" : " (WRONG)");
        failures += says ? 0 : 1;
    }
}

} // namespace

int main(int argc, char** argv) {
    const bool dies = argc > 1 && std::string_view(argv[1]) == "dies";
    expect("before", "MPI_Init_thread first",
           [] { const tutti::mpi::Cluster cluster(tutti::Group(1), MPI_COMM_WORLD); });
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    {
        tutti::mpi::ClusterOptions options;
        if (dies) { // should nobody end the job
            options.timeout = std::chrono::seconds(5);
        }
        tutti::mpi::Cluster cluster(tutti::Group(1), MPI_COMM_WORLD, options);
        tutti::mpi::Member me = cluster.join(0);
        me.barrier();
        if (dies) {
            if (cluster.process() == 1) {
                std::raise(SIGKILL);
            }
            expect("the other has died", "process", [&] { me.barrier(); });
            MPI_Abort(MPI_COMM_WORLD, 3);
        }
        MPI_Finalize();
        expect("after", "has been finalised", [&] { me.barrier(); });
    }
    expect("after", "has been finalised",
           [] { const tutti::mpi::Cluster cluster(tutti::Group(1), MPI_COMM_WORLD); });
    return failures == 0 ? 0 : 1;
}
