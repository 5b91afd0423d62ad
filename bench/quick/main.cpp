// tutti_quick_bench: the first measurement of a machine. It has nothing of the laboratory and the viewer, so
// that it is built in a minute.

#include "options/bench_options.hpp"
#include "sweep/sweep.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"

#include <tutti/team.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace tutti::bench {

namespace {

/// Three collectives, beside processes of Open MPI, threads of OpenMP and a barrier of the standard library:
/// as many members as there are CPUs, and twice as many.
BenchOptions quick_options(double seconds, const std::string& json) {
    const int cpus = Team().size();
    BenchArguments arguments;
    arguments.points = {.begin = "8",
                        .end = "16M",
                        .factor = 128,
                        .members = fmt::format("{},{}", cpus, 2 * cpus),
                        .seconds = 1};
    arguments.collectives = {"allreduce", "reduce_scatter", "allgather"};
    arguments.baseline = "openmpi,openmp,std_barrier";
    arguments.within = seconds;
    arguments.json = json;
    BenchOptions options = arguments.parsed();
    // On a machine with many CPUs the longest vectors may need more memory than there is.
    while (options.bytes.size() > 1 &&
           memory_needed(options, options.members.back()) > available_bytes() / 2) {
        options.bytes.pop_back();
    }
    return options;
}

} // namespace

} // namespace tutti::bench

int main(int argc, char** argv) {
    using namespace tutti::bench;
    if (argc != 3 || !(std::atof(argv[1]) > 0)) {
        fmt::print(stderr, "usage: tutti_quick_bench SECONDS RESULTS.json (started by bench/run.sh)\n");
        return exit_usage;
    }
    try {
        return run_sweep(quick_options(std::atof(argv[1]), argv[2]));
    } catch (const std::exception& error) {
        fmt::print(stderr, "tutti_quick_bench: {}\n", error.what());
        return exit_unfit;
    }
}
