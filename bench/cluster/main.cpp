// tutti-hybrid-bench: `mpirun -n N tutti bench --hybrid -t T` becomes this program. N processes of T OpenMP
// threads measure cluster collectives beside what hybrid programs write by hand, in the same threads behind
// the same gate; then process 0 has flat MPI measured with N * T processes.

#include "cluster/cluster_calls.hpp"
#include "flat_mpi/mpi_calls.hpp"
#include "hybrid/src/channel/mpi_calls.hpp"
#include "measure/buffer.hpp"
#include "measure/measurement.hpp"
#include "mpirun/mpi_baseline.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"

#include <tutti/mpi.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace tutti::bench {

namespace {

struct Arguments {
    std::vector<std::string> collectives;
    std::string begin = "1K";
    std::string end = "64M";
    double factor = 4;
    int threads = 2;
    std::vector<std::string> algorithms{"auto"};
    double seconds = 1;
    bool shared = false;
};

Arguments parsed(int argc, char** argv) {
    Arguments arguments;
    CLI::App app("Cluster collectives beside OpenMP + MPI by hand and beside flat MPI; sums of doubles",
                 "tutti bench --hybrid");
    app.option_defaults()->always_capture_default();
    app.add_option("collective", arguments.collectives, measured_collectives)
        ->default_str("allreduce, and reduce_scatter or, with --shared, allgather");
    app.add_option("-b,--begin", arguments.begin, "Smallest buffer in bytes");
    app.add_option("-e,--end", arguments.end, "Largest buffer in bytes");
    app.add_option("-f,--factor", arguments.factor, "Factor from one size to the next");
    app.add_option("-t,--members", arguments.threads, "Threads per process");
    app.add_option("-a,--algorithm", arguments.algorithms,
                   "A list of algorithms among the processes (auto, circulant, ...); they take turns")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--seconds", arguments.seconds, "Time limit per point");
    app.add_flag("--shared", arguments.shared, "One result per process, of an allreduce or an allgather");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? exit_fine : exit_usage);
    }
    if (arguments.collectives.empty()) {
        arguments.collectives = {"allreduce", arguments.shared ? "allgather" : "reduce_scatter"};
    }
    return arguments;
}

std::vector<Problem> problems_of(const Arguments& arguments, int members) {
    std::vector<Problem> problems;
    for (const std::string& name : arguments.collectives) {
        const Collective collective = parse_collective(name);
        if (!is_measured(collective)) {
            throw UsageError(
                fmt::format("collective: \"{}\" is not measured; there are: {}", name, measured_collectives));
        }
        const std::size_t first = parse_bytes(arguments.begin);
        const std::size_t last = parse_bytes(arguments.end);
        if (first == 0 || last < first || !(arguments.factor > 1)) {
            throw UsageError("--begin, --end, --factor: sizes must be above 0 and grow");
        }
        for (const std::size_t bytes : geometric_sizes(first, last, arguments.factor)) {
            problems.push_back(make_problem(collective, Type::f64, Operator::sum, members, bytes, false));
            problems.back().shared = arguments.shared;
            check_shared(problems.back());
        }
    }
    return problems;
}

/// The part of one process.
class Process {
public:
    Process(const Arguments& arguments, MPI_Comm communicator)
        : arguments_(arguments), group_(arguments.threads), cluster_(group_, communicator),
          problems_(problems_of(arguments, cluster_.size())), cpus_(hybrid::Node(communicator).all_cpus()),
          crowded_(static_cast<std::size_t>(cluster_.size()) > cpus_.size()),
          stamps_(stamps_needed(method(), arguments.algorithms.size() +
                                              2)), // and what is written by hand, and flat MPI
          window_(communicator, cluster_.process(), cluster_.size(), crowded_, stamps_),
          hand_(arguments.threads, cluster_.first_rank(), most_elements(), communicator),
          shared_output_(arguments.shared ? most_elements() * sizeof(double) : 0),
          communicator_(communicator) {}

    /// All threads of all processes measure; the points are those of rank 0.
    Results measure_all();

    const std::vector<Problem>& problems() const { return problems_; }
    const std::vector<int>& cpus() const { return cpus_; }
    bool crowded() const { return crowded_; }
    /// Whether these processes are those of flat MPI, which takes turns with the others then.
    bool is_flat() const { return arguments_.threads == 1; }
    Method method() const {
        Method method;
        method.limits.seconds = arguments_.seconds;
        return method;
    }

private:
    std::size_t most_elements() const { return std::ranges::max(problems_, {}, &Problem::elements).elements; }

    void measure_member(Results& results) {
        ClusterMember me = cluster_.join(omp_get_thread_num());
        Harness harness(HarnessMemory(window_.memory(), me.size(), stamps_), me.rank());
        const Buffer input(most_elements() * sizeof(double));
        const Buffer own_output(arguments_.shared ? 0 : most_elements() * sizeof(double));
        const Buffer& output = arguments_.shared ? shared_output_ : own_output;
        const auto* const in = reinterpret_cast<const double*>(input.data());
        auto* const out = reinterpret_cast<double*>(output.data());
        for (const Problem& problem : problems_) {
            const double* const from = problem.in_place ? out : in;
            std::vector<Contender> contenders;
            for (const std::string& algorithm : arguments_.algorithms) {
                Options options;
                if (algorithm != "auto") {
                    options.algorithm = algorithm;
                }
                const Calls calls =
                    repeated([&, from, options] { call_cluster(me, problem, options, from, out); });
                contenders.push_back({.provider = "hybrid", .algorithm = algorithm, .collective = calls});
            }
            const Calls by_hand = repeated([&, from] { hand_.run(problem, from, out); });
            contenders.push_back({.provider = "hand-written", .collective = by_hand});
            if (is_flat()) {
                const Calls bare = repeated([&, from] { call_bare(problem, from, out, communicator_); });
                contenders.push_back({.provider = "openmpi", .collective = bare});
            }
            std::vector<Point> points =
                bench::measure(harness, problem,
                               {.input = problem.in_place ? output.data() : input.data(),
                                .output = output.data(),
                                .result = output.data(),
                                .contenders = contenders},
                               method());
            if (harness.leads()) {
                results.points.insert(results.points.end(), points.begin(), points.end());
            }
        }
    }

    const Arguments& arguments_;
    Group group_;
    Cluster cluster_;
    std::vector<Problem> problems_;
    std::vector<int> cpus_;
    bool crowded_;
    std::size_t stamps_;
    HarnessWindow window_;
    HandWritten hand_;
    /// The output of all threads, if they share the result.
    Buffer shared_output_;
    MPI_Comm communicator_;
};

Results Process::measure_all() {
    Results results{.title =
                        fmt::format("{} members in {} processes", cluster_.size(), cluster_.processes())};
#pragma omp parallel num_threads(arguments_.threads)
    {
        try {
            measure_member(results);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "tutti bench --hybrid: %s\n", error.what());
            MPI_Abort(MPI_COMM_WORLD, exit_wrong);
        }
    }
    return results;
}

/// Flat MPI, in processes of its own, which must not take themselves for part of this job.
void measure_flat(const Process& process, Results& results) {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        for (const char* const prefix : {"OMPI_", "PMIX_", "PMI_", "ORTE_", "PRTE_"}) {
            if (text.starts_with(prefix)) {
                names.push_back(text.substr(0, text.find('=')));
            }
        }
    }
    for (const std::string& name : names) {
        unsetenv(name.c_str()); // NOLINT(concurrency-mt-unsafe): there is one thread now
    }
    std::vector<Problem> problems = process.problems();
    for (Problem& problem : problems) {
        problem.shared = false; // each process has its result
    }
    const int members = problems.front().members;
    MeasurementRequest request{.provider = "openmpi",
                               .problems = problems,
                               .method = process.method(),
                               .cpus = std::vector<int>(static_cast<std::size_t>(members)),
                               .crowded = process.crowded(),
                               .results = {}};
    for (std::size_t rank = 0; rank < request.cpus.size(); ++rank) {
        request.cpus[rank] = process.cpus()[rank % process.cpus().size()];
    }
    const BaselineResult flat = run_mpi(request, [](std::size_t /*step*/) {});
    results.failure = flat.failure;
    results.points.insert(results.points.end(), flat.points.begin(), flat.points.end());
}

/// Waits for process 0 without taking a CPU from what it runs.
void meet(MPI_Comm communicator) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(communicator, &request);
    int done = 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

int run(const Arguments& arguments) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool wrong = false;
    {
        Process process(arguments, MPI_COMM_WORLD);
        Results results = process.measure_all();
        if (rank == 0) {
            if (!process.is_flat()) {
                measure_flat(process, results);
            }
            fmt::print("{}", hybrid_text(results, width_of(stdout)));
            flush(stdout);
            wrong = std::ranges::any_of(results.points, [](const Point& point) { return point.wrong != 0; });
        }
        meet(MPI_COMM_WORLD);
    }
    return wrong ? exit_wrong : exit_fine;
}

/// With more threads than CPUs OpenMP's must not spin while they wait, which its runtime decides when it is
/// loaded.
void start_again_if_crowded(const Arguments& arguments, char** argv) {
    const char* const open_mpi = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const char* const mpich = std::getenv("MPI_LOCALNRANKS");
    const long processes = std::atol(open_mpi != nullptr ? open_mpi : mpich != nullptr ? mpich : "1");
    if (std::getenv("OMP_WAIT_POLICY") == nullptr &&
        processes * arguments.threads > sysconf(_SC_NPROCESSORS_ONLN)) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execv("/proc/self/exe", argv);
    }
}

} // namespace

} // namespace tutti::bench

int main(int argc, char** argv) {
    using namespace tutti::bench;
    int code = exit_wrong;
    try {
        const Arguments arguments = parsed(argc, argv);
        start_again_if_crowded(arguments, argv);
        int level = 0;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        code = as_asked("", [&] { return run(arguments); });
    } catch (const UsageError& error) {
        std::fprintf(stderr, "tutti bench --hybrid: %s\n", error.what());
        code = exit_usage;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tutti bench --hybrid: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Finalize();
    return code;
}
