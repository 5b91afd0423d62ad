// Clusters before MPI_Init, after MPI_Finalize, and in a process that dies: `lifecycle`, `lifecycle dies`.

#include <tutti/mpi.hpp>
#include <tutti/tutti_mpi.h>

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

/// Throws the text of what is returned.
void create_from_c() {
    tutti_group* group = nullptr;
    tutti_cluster* cluster = nullptr;
    tutti_group_create(1, nullptr, &group);
    const tutti_status status = tutti_cluster_create(group, MPI_COMM_WORLD, nullptr, &cluster);
    tutti_group_free(group);
    if (status == TUTTI_ARGUMENT_ERROR) {
        throw tutti::Error(tutti_error_text());
    }
}

} // namespace

int main(int argc, char** argv) {
    const bool dies = argc > 1 && std::string_view(argv[1]) == "dies";
    expect("before", "MPI_Init_thread first",
           [] { const tutti::Cluster cluster(tutti::Group(1), MPI_COMM_WORLD); });
    expect("before, from C", "MPI_Init_thread first", create_from_c);
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    {
        tutti::ClusterOptions options;
        if (dies) { // should nobody end the job
            options.timeout = std::chrono::seconds(5);
        }
        tutti::Cluster cluster(tutti::Group(1), MPI_COMM_WORLD, options);
        tutti::ClusterMember me = cluster.join(0);
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
           [] { const tutti::Cluster cluster(tutti::Group(1), MPI_COMM_WORLD); });
    expect("after, from C", "has been finalised", create_from_c);
    return failures == 0 ? 0 : 1;
}
