// main() of the tests that run under mpirun: `program LEVEL [doctest options]`, LEVEL being single, funneled,
// serialized or multiple. Only process 0 prints what passes.

#define DOCTEST_CONFIG_IMPLEMENT
#include "support.hpp"

#include <cstdio>
#include <string_view>

namespace tutti::test {

namespace {
int level = MPI_THREAD_SINGLE;
}

int thread_level() {
    return level;
}

} // namespace tutti::test

int main(int argc, char** argv) {
    const std::string_view name = argc > 1 ? argv[1] : "";
    const int wanted = name == "single"       ? MPI_THREAD_SINGLE
                       : name == "funneled"   ? MPI_THREAD_FUNNELED
                       : name == "serialized" ? MPI_THREAD_SERIALIZED
                       : name == "multiple"   ? MPI_THREAD_MULTIPLE
                                              : -1;
    if (wanted < 0) {
        std::fprintf(stderr, "usage: %s single|funneled|serialized|multiple [doctest options]\n", argv[0]);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, wanted, &tutti::test::level);
    if (tutti::test::level < wanted) {
        std::fprintf(stderr, "this MPI provides no more than thread level %d\n", tutti::test::level);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    doctest::Context context(argc, argv);
    context.setOption("minimal", tutti::test::process_of_world() != 0);
    const int result = context.run();
    MPI_Finalize();
    return result;
}
