#include "mpirun/mpi_baseline.hpp"

#include "mpirun/child_process.hpp"
#include "terminal/output.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <array>
#include <charconv>
#include <deque>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string_view>

namespace tutti::bench {

void write_request(const MeasurementRequest& request, const std::string& path) {
    nlohmann::json problems = nlohmann::json::array();
    for (const Problem& problem : request.problems) {
        problems.push_back(to_json(problem));
    }
    const nlohmann::json json{{"provider", request.provider},
                              {"problems", problems},
                              {"least", request.method.limits.least},
                              {"most", request.method.limits.most},
                              {"seconds", request.method.limits.seconds},
                              {"until_ns", request.method.limits.until_ns},
                              {"check", request.method.check},
                              {"loop_bytes", request.method.loop_bytes},
                              {"cpus", request.cpus},
                              {"crowded", request.crowded},
                              {"results", request.results}};
    std::ofstream file(path);
    file << json;
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

MeasurementRequest read_request(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    const nlohmann::json json = nlohmann::json::parse(file);
    MeasurementRequest request;
    request.provider = json.at("provider").get<std::string>();
    for (const nlohmann::json& problem : json.at("problems")) {
        request.problems.push_back(problem_from_json(problem));
    }
    request.method = {.limits = {.least = json.at("least").get<std::size_t>(),
                                 .most = json.at("most").get<std::size_t>(),
                                 .seconds = json.at("seconds").get<double>(),
                                 .until_ns = json.at("until_ns").get<std::int64_t>()},
                      .check = json.at("check").get<bool>(),
                      .loop_bytes = json.at("loop_bytes").get<std::size_t>()};
    request.cpus = json.at("cpus").get<std::vector<int>>();
    request.crowded = json.at("crowded").get<bool>();
    request.results = json.at("results").get<std::string>();
    return request;
}

namespace {

namespace fs = std::filesystem;

/// An MPI library, and the program that was built with it.
struct Library {
    std::string_view name;
    /// Its mpirun; empty if there is no program.
    const char* mpiexec;
    const char* program;
    const char* packages;
};

constexpr std::array libraries{Library{.name = "openmpi",
                                       .mpiexec = TUTTI_MPIEXEC,
                                       .program = "tutti-mpi-bench",
                                       .packages = "libopenmpi-dev and openmpi-bin"},
                               Library{.name = "mpich",
                                       .mpiexec = TUTTI_MPIEXEC_MPICH,
                                       .program = "tutti-mpi-bench-mpich",
                                       .packages = "libmpich-dev and mpich"}};

const Library& library_of(std::string_view name) {
    for (const Library& library : libraries) {
        if (library.name == name) {
            return library;
        }
    }
    throw std::invalid_argument(fmt::format("{} is no MPI library", name));
}

fs::path program_of(const Library& library) {
    return program_directory() / library.program;
}

/// Both as they come, which on one machine means shared memory (forcing Open MPI's transports, or its `sm`
/// collectives, made it slower where it was tried). With more processes than CPUs Open MPI is told to yield;
/// MPICH has nothing of the kind that takes effect (MPIR_CVAR_POLLS_BEFORE_YIELD makes no difference). The
/// program pins itself as Tutti's members are, before MPI starts, so mpirun need not bind.
std::vector<std::string> command_for(const Library& library, const MeasurementRequest& request,
                                     const fs::path& request_file) {
    std::vector<std::string> command{library.mpiexec, "-n", std::to_string(request.problems.front().members)};
    if (library.name == "openmpi") {
        command.insert(command.end(), {"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle",
                                       request.crowded ? "1" : "0"});
        if (geteuid() == 0) {
            command.emplace_back("--allow-run-as-root");
        }
    } else {
        command.insert(command.end(), {"-bind-to", "none"});
    }
    command.insert(command.end(), {program_of(library).string(), request_file.string()});
    return command;
}

/// Reads the results that are there; a line that was cut off ends them.
void read_results(const fs::path& path, BaselineResult& result) {
    std::ifstream file(path);
    std::getline(file, result.library);
    std::string line;
    while (std::getline(file, line)) {
        try {
            result.points.push_back(point_from_json(nlohmann::json::parse(line)));
        } catch (const nlohmann::json::exception&) {
            return;
        }
    }
}

} // namespace

std::vector<std::string> mpi_names() {
    std::vector<std::string> names;
    for (const Library& library : libraries) {
        names.emplace_back(library.name);
    }
    return names;
}

std::string why_no_mpi(const std::string& name) {
    const Library& library = library_of(name);
    if (std::string_view(library.mpiexec).empty()) {
        return fmt::format("this build does not have it: install {}, then configure and build again",
                           library.packages);
    }
    if (!fs::exists(program_of(library))) {
        return fmt::format("{} is missing: build the target tutti_baselines", program_of(library).string());
    }
    return fs::exists(library.mpiexec) ? "" : fmt::format("{} is missing", library.mpiexec);
}

BaselineResult run_mpi(MeasurementRequest request, const std::function<void(std::size_t)>& on_step) {
    BaselineResult result;
    const TemporaryDirectory directory;
    request.results = (directory.path() / "results.jsonl").string();
    const fs::path request_file = directory.path() / "request.json";
    write_request(request, request_file.string());

    constexpr double startup_seconds = 60;
    constexpr double points_seconds = 20;
    constexpr double late_seconds = 5; // for a call that has begun, and MPI_Finalize
    const Limits& limits = request.method.limits;
    const double silence_seconds =
        std::min(startup_seconds + points_seconds * (1 + limits.seconds),
                 late_seconds + std::max(0.0, static_cast<double>(limits.until_ns - now_ns()) / 1e9));
    std::deque<std::string> last_lines;
    const auto hear = [&](const std::string& line) {
        constexpr std::string_view prefix = "progress ";
        constexpr std::size_t kept_lines = 30;
        if (line.starts_with(prefix)) {
            std::size_t step = 0;
            std::from_chars(line.data() + prefix.size(), line.data() + line.size(), step);
            on_step(step);
            return;
        }
        last_lines.push_back("\n    " + line);
        if (last_lines.size() > kept_lines) {
            last_lines.pop_front();
        }
    };
    const std::vector<std::string> command = command_for(library_of(request.provider), request, request_file);
    result.launch = fmt::format("{}", fmt::join(std::span(command).first(command.size() - 2), " "));
    const ChildResult child = run_child(command, silence_seconds, hear);
    read_results(request.results, result);
    if (!child.failure.empty()) {
        result.failure = fmt::format("{}{}", child.failure, fmt::join(last_lines, ""));
    }
    return result;
}

} // namespace tutti::bench
