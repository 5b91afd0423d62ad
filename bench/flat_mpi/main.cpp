// tutti-mpi-bench: the comparison program, built once for each MPI library. `tutti bench --baseline openmpi`
// starts it through mpirun with a request file; it measures the same problems with the MPI library, behind
// the same gate, with the same data and statistics.

#include "flat_mpi/mpi_calls.hpp"
#include "measure/buffer.hpp"
#include "mpirun/mpi_baseline.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>

namespace tutti::bench {

namespace {

/// Pins this process before MPI allocates anything. Left unpinned if the system fails.
void pin(const std::vector<int>& cpus) {
    const char* const of_open_mpi = std::getenv("OMPI_COMM_WORLD_RANK");
    const char* const rank = of_open_mpi != nullptr ? of_open_mpi : std::getenv("PMI_RANK"); // MPICH's
    if (rank == nullptr) {
        return;
    }
    const int cpu = cpus.at(static_cast<std::size_t>(std::atoi(rank)));
    if (cpu < 0) {
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    sched_setaffinity(0, sizeof(set), &set);
}

/// One MPI call for a problem. In place, `input` and `output` are the same.
void call_mpi(const Problem& problem, int rank, const void* input, void* output) {
    // In rooted collectives only the root passes MPI_IN_PLACE, in the argument that it would not need.
    const detail::CollectiveTraits& traits = detail::traits_of(problem.collective);
    const bool says_in_place = problem.in_place && (!traits.is_rooted() || rank == Problem::root);
    const bool in_output = traits.is_rooted() && traits.scatters();
    make_mpi_call(problem.collective, {.in = says_in_place && !in_output ? MPI_IN_PLACE : input,
                                       .out = says_in_place && in_output ? MPI_IN_PLACE : output,
                                       .elements = static_cast<int>(problem.elements),
                                       .block = static_cast<int>(problem.block_elements()),
                                       .type = mpi_type(problem.type),
                                       .op = mpi_operator(problem.op),
                                       .communicator = MPI_COMM_WORLD,
                                       .rank = rank,
                                       .members = problem.members});
}

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string version(text.data(), static_cast<std::size_t>(length));
    std::ranges::replace(version, '\t', ' '); // "MPICH Version:\t4.0.2\nMPICH Release date: ..."
    return version.substr(0, version.find_first_of(",\n"));
}

void measure_all(const MeasurementRequest& request, int rank, int members) {
    const std::size_t stamps = stamps_needed(request.method, 1);
    const HarnessWindow window(MPI_COMM_WORLD, rank, members, request.crowded, stamps);
    Harness harness(HarnessMemory(window.memory(), members, stamps), rank);
    const std::size_t most_bytes = std::ranges::max(request.problems, {}, &Problem::bytes).bytes();
    const Buffer input(most_bytes);
    const Buffer output(most_bytes);
    std::ofstream results;
    if (rank == 0) {
        results.open(request.results);
        results << library_version() << std::endl;
    }
    for (std::size_t index = 0; index < request.problems.size(); ++index) {
        if (harness.agree(request.method.limits.is_over() ? 1 : 0) != 0) {
            return;
        }
        const Problem& problem = request.problems[index];
        if (problem.elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
            throw std::invalid_argument("MPI counts elements in an int; these vectors have more");
        }
        if (rank == 0) {
            std::printf("progress %zu\n", index);
            std::fflush(stdout);
        }
        std::byte* const to = problem.in_place ? input.data() : output.data();
        const Calls calls = repeated([&] { call_mpi(problem, rank, input.data(), to); });
        const Subject subject{.input = input.data(),
                              .output = to,
                              .result = to, // reduce_scatter in place: MPI puts the block at the front
                              .contenders = {{.provider = request.provider, .collective = calls}}};
        const Point point = measure(harness, problem, subject, request.method).front();
        if (rank == 0) {
            results << line_of(point) << std::endl;
        }
    }
}

int run(const std::string& request_file) {
    const MeasurementRequest request = read_request(request_file);
    pin(request.cpus);
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    int members = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &members);
    try {
        if (request.problems.empty() || request.problems.front().members != members) {
            throw std::invalid_argument("the request is for another number of processes");
        }
        measure_all(request, rank, members);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tutti-mpi-bench: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}

} // namespace

} // namespace tutti::bench

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr,
                     "usage: tutti-mpi-bench REQUEST_FILE (started by `tutti bench --baseline openmpi`)\n");
        return 2;
    }
    try {
        return tutti::bench::run(argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tutti-mpi-bench: %s\n", error.what());
        return 1;
    }
}
