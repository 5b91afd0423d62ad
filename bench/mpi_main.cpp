// tutti-mpi-bench: the comparison program. `tutti bench --baseline openmpi` starts it through mpirun with a
// job file; it measures the same works with the MPI library, behind the same gate, with the same data and
// statistics.

#include "board_window.hpp"
#include "buffer.hpp"
#include "job.hpp"
#include "mpi_types.hpp"

#include <nlohmann/json.hpp>
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

/// Pins this process before MPI allocates anything. Left unpinned where the system refuses.
void pin(const std::vector<int>& cpus) {
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
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

/// One MPI call for a work.
void call_mpi(const Work& work, const void* input, void* output) {
    const MPI_Datatype type = mpi_type(work.type);
    const int count = static_cast<int>(work.elements);
    const int block = static_cast<int>(work.block_elements());
    const void* const from = work.in_place ? MPI_IN_PLACE : input;
    switch (work.collective) {
    case Collective::barrier:
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    case Collective::allreduce:
        MPI_Allreduce(from, output, count, type, mpi_operator(work.op), MPI_COMM_WORLD);
        return;
    case Collective::reduce_scatter:
        MPI_Reduce_scatter_block(from, output, block, type, mpi_operator(work.op), MPI_COMM_WORLD);
        return;
    case Collective::allgather:
        MPI_Allgather(from, block, type, output, block, type, MPI_COMM_WORLD);
        return;
    default:
        throw std::invalid_argument("this collective is not measured");
    }
}

std::string library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string version(text.data(), static_cast<std::size_t>(length));
    return version.substr(0, version.find(','));
}

void measure_all(const Job& job, int rank, int members) {
    const std::size_t stamps = stamps_needed(job.method);
    const BoardWindow window(MPI_COMM_WORLD, rank, members, job.crowded, stamps);
    Harness harness(Board(window.memory(), members, stamps), rank);
    std::size_t most_bytes = 0;
    for (const Work& work : job.works) {
        most_bytes = std::max(most_bytes, work.bytes());
    }
    const Buffer input(most_bytes);
    const Buffer output(most_bytes);
    std::ofstream results;
    if (rank == 0) {
        results.open(job.results);
        results << nlohmann::json{{"library", library_version()}} << std::endl;
    }
    for (std::size_t index = 0; index < job.works.size(); ++index) {
        const Work& work = job.works[index];
        if (work.elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
            throw std::invalid_argument("MPI counts elements in an int; these vectors have more");
        }
        if (rank == 0) {
            std::printf("progress %zu\n", index);
            std::fflush(stdout);
        }
        std::byte* const to = work.in_place ? input.data() : output.data();
        const Subject subject{.input = input.data(),
                              .output = to,
                              .result = to, // reduce_scatter in place: MPI puts the block at the front
                              .collective = [&](std::size_t calls) {
                                  for (std::size_t i = 0; i < calls; ++i) {
                                      call_mpi(work, input.data(), to);
                                  }
                              }};
        Point point = measure(harness, work, subject, job.method);
        point.provider = "openmpi";
        if (rank == 0) {
            results << to_json(point) << std::endl;
        }
    }
}

int run(const std::string& job_file) {
    const Job job = read_job(job_file);
    pin(job.cpus);
    MPI_Init(nullptr, nullptr);
    int rank = 0;
    int members = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &members);
    try {
        if (job.works.empty() || job.works.front().members != members) {
            throw std::invalid_argument("the job is for another number of processes");
        }
        measure_all(job, rank, members);
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
                     "usage: tutti-mpi-bench JOB_FILE (started by `tutti bench --baseline openmpi`)\n");
        return 2;
    }
    try {
        return tutti::bench::run(argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tutti-mpi-bench: %s\n", error.what());
        return 1;
    }
}
