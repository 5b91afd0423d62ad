#include "bench_command.hpp"

#include "algorithm/registry.hpp"
#include "baseline.hpp"
#include "machine/placement.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "results_file.hpp"
#include "tutti_runner.hpp"
#include "usage.hpp"

#include <tutti/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace tutti::bench {

namespace {

std::vector<Work> works_for(const BenchOptions& options, int members) {
    std::vector<Work> works;
    for (const Collective collective : options.collectives) {
        for (const std::size_t bytes : options.bytes) {
            const Work work =
                make_work(collective, options.type, options.op, members, bytes, options.in_place);
            if (works.empty() || works.back() != work) {
                works.push_back(work);
            }
        }
    }
    return works;
}

std::size_t most_bytes(const std::vector<Work>& works) {
    std::size_t most = 0;
    for (const Work& work : works) {
        most = std::max(most, work.bytes());
    }
    return most;
}

/// Whether to measure an algorithm for a work at all.
bool applies(const BenchOptions& options, const std::string& name, const Work& work) {
    if (name.empty()) {
        return true;
    }
    const algorithm::Algorithm* const row = algorithm::find(work.collective, name);
    if (row == nullptr) {
        return false;
    }
    const bool exact = work.type < Type::f32;
    return !options.all_algorithms ||
           ((row->order != algorithm::Order::any || exact) && takes(*row, work.members));
}

/// Memory that a new program could have, in bytes; the most there is where the system does not tell.
std::size_t available_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        std::size_t kib = 0;
        if (word == "MemAvailable:" && file >> kib) {
            return kib << 10;
        }
    }
    return SIZE_MAX;
}

void check_memory(const BenchOptions& options) {
    for (const int members : options.members) {
        const std::size_t needed =
            2 * static_cast<std::size_t>(members) * most_bytes(works_for(options, members));
        if (needed > available_bytes()) {
            throw EnvironmentUnfit(
                fmt::format("{} members with two vectors of {} each need {} MiB of memory, of which "
                            "{} are available; choose a smaller --end or fewer --members",
                            members, format_bytes(most_bytes(works_for(options, members))), needed >> 20,
                            available_bytes() >> 20));
        }
    }
}

/// Minutes of measuring should not end with a file that cannot be written.
void check_writable(const char* option, const std::string& path) {
    if (!path.empty() && !std::ofstream(path, std::ios::app)) {
        throw UsageError(fmt::format("{}: cannot write {}", option, path));
    }
}

/// One `tutti bench` under way.
class Bench {
public:
    explicit Bench(const BenchOptions& options)
        : options_(options), environment_(detect_environment()),
          with_baseline_(options.open_mpi && why_no_open_mpi().empty()), progress_(steps(), !options.quiet) {
        environment_.placement = options.placement;
    }

    int run() {
        if (options_.open_mpi && !with_baseline_) {
            fmt::print("no baseline: {}\n", why_no_open_mpi());
        }
        fmt::print("{}", header_text(environment_, with_baseline_));
        for (const int members : options_.members) {
            measure_members(members);
        }
        progress_.clear();
        fmt::print("\n{}", summary_text(own_, baseline_));
        write_files();
        return std::ranges::any_of(own_, [](const Point& point) { return point.wrong != 0; }) ? exit_wrong
                                                                                              : exit_fine;
    }

private:
    std::size_t steps() const {
        std::size_t count = 0;
        for (const int members : options_.members) {
            for (const Work& work : works_for(options_, members)) {
                count += static_cast<std::size_t>(
                    std::ranges::count_if(options_.algorithms, [&](const std::string& name) {
                        return applies(options_, name, work);
                    }));
                count += with_baseline_ ? 1 : 0;
            }
        }
        return count;
    }

    bool crowded(int members) const {
        return static_cast<std::size_t>(members) > environment_.machine.pus.size();
    }

    void step(const char* provider, const Work& work, const std::string& algorithm) {
        progress_.step(fmt::format("{}, {} members, {}", provider, work.members, to_string(work.collective)),
                       fmt::format("{} {}", format_bytes(work.bytes()), algorithm));
    }

    void measure_members(int members) {
        const std::vector<Work> works = works_for(options_, members);
        const std::size_t own_before = own_.size();
        const std::size_t baseline_before = baseline_.size();
        measure_tutti(members, works);
        if (with_baseline_) {
            measure_baseline(members, works);
        }
        progress_.clear();
        fmt::print("\n{}", table_text(std::span(own_).subspan(own_before),
                                      std::span(baseline_).subspan(baseline_before)));
        std::fflush(stdout);
    }

    void measure_tutti(int members, const std::vector<Work>& works) {
        TuttiRunner runner(members, options_.placement, crowded(members), most_bytes(works), options_.method);
        environment_.pinning.emplace_back(members, runner.pinning());
        for (const Work& work : works) {
            for (const std::string& name : options_.algorithms) {
                if (applies(options_, name, work)) {
                    step("tutti", work, name);
                    own_.push_back(runner.measure(work, name));
                }
            }
        }
    }

    void measure_baseline(int members, const std::vector<Work>& works) {
        const Job job{.works = works,
                      .method = options_.method,
                      .cpus = machine::place(environment_.machine, members,
                                             machine::parse_placement(options_.placement)),
                      .crowded = crowded(members),
                      .results = {}};
        const BaselineResult result =
            run_open_mpi(job, [&](std::size_t index) { step("openmpi", works.at(index), ""); });
        baseline_.insert(baseline_.end(), result.points.begin(), result.points.end());
        if (!result.library.empty()) {
            environment_.baseline_version = result.library;
        }
        if (!result.failure.empty()) {
            progress_.clear();
            fmt::print("note: the baseline for {} members failed: {}\n", members, result.failure);
        }
    }

    void write_files() const {
        std::vector<Point> all = own_;
        all.insert(all.end(), baseline_.begin(), baseline_.end());
        if (!options_.json_path.empty()) {
            write_json(options_.json_path, to_json(environment_), all);
            fmt::print("wrote {}\n", options_.json_path);
        }
        if (!options_.csv_path.empty()) {
            write_csv(options_.csv_path, all);
            fmt::print("wrote {}\n", options_.csv_path);
        }
    }

    const BenchOptions& options_;
    Environment environment_;
    bool with_baseline_;
    Progress progress_;
    std::vector<Point> own_;
    std::vector<Point> baseline_;
};

} // namespace

int run_bench(const BenchOptions& options) {
    check_writable("--json", options.json_path);
    check_writable("--csv", options.csv_path);
    check_memory(options);
    try {
        return Bench(options).run();
    } catch (const ArgumentError& error) {
        throw UsageError(error.what());
    } catch (const std::bad_alloc&) {
        throw EnvironmentUnfit(
            "not enough memory for the vectors; choose a smaller --end or fewer --members");
    }
}

} // namespace tutti::bench
