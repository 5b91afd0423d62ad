#include "baseline.hpp"

#include "child_process.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <charconv>
#include <deque>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;

#if defined(TUTTI_MPIEXEC)
constexpr const char* mpiexec = TUTTI_MPIEXEC;
#else
constexpr const char* mpiexec = "";
#endif

fs::path program() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path() / "tutti-mpi-bench";
}

/// A directory that disappears with its owner.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string pattern = (fs::temp_directory_path() / "tutti-bench-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("cannot make a directory " + pattern);
        }
        path_ = pattern;
    }
    ~TemporaryDirectory() {
        std::error_code error;
        fs::remove_all(path_, error);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Open MPI as it comes, which on one machine means shared memory (forcing its transports, or its `sm`
/// collectives, made it slower where it was tried), yielding when there are more processes than CPUs. The
/// program pins itself as Tutti's members are, before MPI starts, so mpirun need not bind.
std::vector<std::string> command_for(const Job& job, const fs::path& job_file) {
    std::vector<std::string> command{
        mpiexec, "-n", std::to_string(job.works.front().members), "--oversubscribe", "--bind-to", "none"};
    if (geteuid() == 0) {
        command.emplace_back("--allow-run-as-root");
    }
    command.insert(command.end(), {"--mca", "mpi_yield_when_idle", job.crowded ? "1" : "0"});
    command.insert(command.end(), {program().string(), job_file.string()});
    return command;
}

/// Reads the results that are there; a line that was cut off ends them.
void read_results(const fs::path& path, BaselineResult& result) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        try {
            const nlohmann::json json = nlohmann::json::parse(line);
            if (json.contains("library")) {
                result.library = json.at("library").get<std::string>();
            } else {
                result.points.push_back(point_from_json(json));
            }
        } catch (const nlohmann::json::exception&) {
            return;
        }
    }
}

/// Calls on_step for the program's "progress 12" and keeps the last of its other lines.
class Listener {
public:
    explicit Listener(const std::function<void(std::size_t)>& on_step) : on_step_(on_step) {}

    void hear(const std::string& line) {
        constexpr std::string_view prefix = "progress ";
        std::size_t step = 0;
        if (line.starts_with(prefix)) {
            std::from_chars(line.data() + prefix.size(), line.data() + line.size(), step);
            on_step_(step);
            return;
        }
        constexpr std::size_t kept_lines = 30;
        lines_.push_back(line);
        if (lines_.size() > kept_lines) {
            lines_.pop_front();
        }
    }

    std::string text() const {
        std::string text;
        for (const std::string& line : lines_) {
            text += "\n    " + line;
        }
        return text;
    }

private:
    const std::function<void(std::size_t)>& on_step_;
    std::deque<std::string> lines_;
};

} // namespace

std::string why_no_open_mpi() {
    if (std::string_view(mpiexec).empty()) {
        return "this build has no Open MPI program: install libopenmpi-dev and openmpi-bin, then configure "
               "and build "
               "again";
    }
    if (!fs::exists(program())) {
        return fmt::format("{} is missing", program().string());
    }
    return "";
}

BaselineResult run_open_mpi(Job job, const std::function<void(std::size_t)>& on_step) {
    BaselineResult result;
    const TemporaryDirectory directory;
    job.results = (directory.path() / "results.jsonl").string();
    const fs::path job_file = directory.path() / "job.json";
    write_job(job, job_file.string());

    constexpr int startup_seconds = 60;
    constexpr int points_seconds = 20;
    Listener listener(on_step);
    const int silence_seconds =
        startup_seconds + points_seconds * static_cast<int>(1 + job.method.limits.seconds);
    const ChildResult child = run_child(command_for(job, job_file), silence_seconds,
                                        [&](const std::string& line) { listener.hear(line); });
    read_results(job.results, result);
    if (!child.failure.empty()) {
        result.failure = child.failure + listener.text();
    }
    return result;
}

} // namespace tutti::bench
