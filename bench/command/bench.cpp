#include "algorithm/registry.hpp"
#include "command/coverage.hpp"
#include "command/subcommands.hpp"
#include "machine/placement.hpp"
#include "measure/gate.hpp"
#include "mpirun/mpi_baseline.hpp"
#include "page/page.hpp"
#include "peers/peer_modules.hpp"
#include "report/bench_report.hpp"
#include "report/results_file.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/numbers.hpp"
#include "terminal/output.hpp"
#include "terminal/progress.hpp"
#include "terminal/table.hpp"
#include "threads/selection_input.hpp"
#include "threads/tutti_runner.hpp"

#include <tutti/error.hpp>
#include <tutti/team.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <stdexcept>

namespace tutti::bench {

namespace {

/// Minutes of measuring should not end with an algorithm that is rejected.
void check_algorithms(const BenchOptions& options) {
    for (const int members : options.members) {
        for (const Problem& problem : problems_for(options, members)) {
            for (const std::string& name : options.algorithms) {
                if (!name.empty() && applies(options, name, problem)) {
                    const std::string why = engine::refusal(*algorithm::find(problem.collective, name),
                                                            selection_input_of(problem).call, members);
                    if (!why.empty()) {
                        throw UsageError(
                            fmt::format("--algorithm: {} {} {}", to_string(problem.collective), name, why));
                    }
                }
            }
        }
    }
}

bool is_mpi(const std::string& name) {
    const std::vector<std::string> names = mpi_names();
    return std::ranges::find(names, name) != names.end();
}

/// Whether a peer cannot take turns with Tutti on the same threads.
bool is_measured_apart(const std::string& name) {
    return is_mpi(name) || has_own_threads(name);
}

/// The available baselines; prints why the others are not.
std::vector<std::string> available(const std::vector<std::string>& baselines, std::FILE* out) {
    std::vector<std::string> found;
    for (const std::string& name : baselines) {
        std::string why;
        if (is_mpi(name)) {
            why = why_no_mpi(name);
        } else {
            try {
                peer_module(name);
            } catch (const std::runtime_error& error) {
                why = error.what();
            }
        }
        if (why.empty()) {
            found.push_back(name);
        } else {
            fmt::print(out, "no baseline {}: {}\n", name, why);
        }
    }
    return found;
}

Environment environment_of(const BenchOptions& options) {
    Environment environment = detect_environment();
    environment.placement =
        options.placement + (options.given.levels.empty()
                                 ? ""
                                 : fmt::format(", levels {}", fmt::join(options.given.levels, ",")));
    return environment;
}

/// The text for a user who interrupts a run.
std::string last_words(const std::string& json_path, std::size_t points_written) {
    std::string text = isatty(STDERR_FILENO) == 1 ? "\n" : "";
    if (json_path.empty() || is_stdout(json_path)) {
        text += "tutti: interrupted; with --json FILE a run keeps what it has measured\n";
    } else if (points_written == 0) {
        text +=
            fmt::format("tutti: interrupted before a collective was done: {} is not written\n", json_path);
    } else {
        text += fmt::format("tutti: interrupted: {} has {} point{}\n", json_path, points_written,
                            points_written == 1 ? "" : "s");
    }
    return wrapped(text, width_of(stderr));
}

/// One `tutti bench` under way.
class Bench {
public:
    explicit Bench(const BenchOptions& options)
        : options_(options),
          out_(text_stream(std::array{options.given.json, options.given.csv, options.given.html})),
          environment_(environment_of(options)), baselines_(available(options.baselines, out_)),
          time_left_(planned()), progress_(time_left_.steps(), !options.given.points.quiet),
          farewell_(last_words(options.given.json, 0)) {}

    int run() {
        fmt::print(out_, "{}", header_text(environment_, width_of(out_)));
        flush(out_);
        say_how_long();
        for (const int members : options_.members) {
            measure_members(members);
        }
        progress_.clear();
        fmt::print(out_, "\n{}",
                   summary_text(
                       own_, others_, [&](int members) { return cpus_of(members); }, width_of(out_)));
        write_files(true);
        return std::ranges::any_of(own_, [](const Point& point) { return point.wrong != 0; }) ? exit_wrong
                                                                                              : exit_fine;
    }

private:
    /// All steps, in any order.
    TimeLeft planned() const {
        TimeLeft left;
        const auto apart = std::ranges::count_if(baselines_, is_measured_apart);
        const auto in_turns = static_cast<double>(std::ranges::ssize(baselines_) - apart);
        const auto plan = [&](const std::string& provider, const Problem& problem, double contenders) {
            for (int round = 0; round < options_.given.rounds; ++round) {
                left.plan(kind_of(provider, problem),
                          contenders * most_seconds(options_.method, problem.bytes()));
            }
        };
        for (const int members : options_.members) {
            for (const Problem& problem : problems_for(options_, members)) {
                for (const std::string& name : options_.algorithms) {
                    if (applies(options_, name, problem)) {
                        plan("tutti", problem,
                             static_cast<double>(options_.callings.size()) +
                                 (name == options_.algorithms.front() ? in_turns : 0));
                    }
                }
                for (const std::string& name : baselines_) {
                    if (is_measured_apart(name)) {
                        plan(name, problem, 1);
                    }
                }
            }
        }
        return left;
    }

    /// Steps that last about as long.
    static std::string kind_of(const std::string& provider, const Problem& problem) {
        return fmt::format("{} {} {}", provider, problem.members, problem.bytes());
    }

    void say_how_long() const {
        if (!options_.given.points.quiet) {
            const std::size_t steps = time_left_.steps();
            const std::string text =
                fmt::format("{} step{}, which may take {}; --seconds, -n, -e, -f, -t and the names of "
                            "collectives make that less\n",
                            steps, steps == 1 ? "" : "s", format_duration(time_left_.seconds()));
            fmt::print(stderr, "{}", wrapped(text, width_of(stderr)));
        }
    }

    int cpus_of(int members) const { return cpus_under(environment_.machine, members, options_.placement); }

    bool crowded(int members) const { return members > cpus_of(members); }

    void step(const std::string& provider, const Problem& problem, const std::string& algorithm) {
        constexpr double seconds_per_ns = 1e-9;
        time_left_.begin(kind_of(provider, problem), static_cast<double>(now_ns()) * seconds_per_ns);
        progress_.step(
            fmt::format("{}, {} members, {}", provider, problem.members, to_string(problem.collective)),
            fmt::format("{} {}", format_bytes(problem.bytes()), algorithm),
            "about " + format_duration(time_left_.seconds()) + " left");
    }

    RunnerOptions runner_options(int members, const std::vector<std::string>& peers) const {
        return {.members = members,
                .placement = options_.placement,
                .crowded = crowded(members),
                .most_bytes = most_bytes(problems_for(options_, members)),
                .method = options_.method,
                .peers = peers,
                .callings = options_.callings,
                .levels = options_.given.levels};
    }

    void measure_members(int members) {
        const std::vector<Problem> problems = problems_for(options_, members);
        const std::size_t own_before = own_.size();
        const std::size_t others_before = others_.size();
        std::vector<std::string> in_turns;
        std::ranges::copy_if(baselines_, std::back_inserter(in_turns),
                             [](const std::string& name) { return !is_measured_apart(name); });
        TuttiRunner runner(runner_options(members, in_turns));
        environment_.pinning.emplace_back(members, runner.pinning());
        // One collective after the other, so that those apart are measured soon after; in several rounds,
        // since a machine that is shared changes from one second to the next.
        for (const Collective collective : options_.collectives) {
            std::vector<Problem> part;
            std::ranges::copy_if(problems, std::back_inserter(part),
                                 [&](const Problem& problem) { return problem.collective == collective; });
            measure_rounds(runner, part);
            write_files(false);
        }
        progress_.clear();
        const std::span own = std::span(own_).subspan(own_before);
        const std::span others = std::span(others_).subspan(others_before);
        if (!options_.given.points.quiet && own_before == 0) {
            fmt::print(out_, "\n{}", legend_text(own, others, options_.callings, width_of(out_)));
        }
        fmt::print(out_, "\n{}", table_text(own, others, width_of(out_)));
        flush(out_);
    }

    void measure_rounds(TuttiRunner& runner, const std::vector<Problem>& problems) {
        const std::size_t own_before = own_.size();
        const std::size_t others_before = others_.size();
        for (int round = 0; round < options_.given.rounds; ++round) {
            measure_in_turns(runner, problems);
            for (const std::string& name : baselines_) {
                if (is_mpi(name)) {
                    measure_mpi(name, problems);
                } else if (is_measured_apart(name)) {
                    measure_apart(name, problems);
                }
            }
        }
        pool_from(own_before, own_);
        pool_from(others_before, others_);
    }

    static void pool_from(std::size_t first, std::vector<Point>& points) {
        const std::vector<Point> whole = pooled(std::span(points).subspan(first));
        points.resize(first);
        points.insert(points.end(), whole.begin(), whole.end());
    }

    /// Peers take part where Tutti chooses: what they do does not depend on its algorithm.
    void measure_in_turns(TuttiRunner& runner, const std::vector<Problem>& problems) {
        for (const Problem& problem : problems) {
            for (const std::string& name : options_.algorithms) {
                if (applies(options_, name, problem)) {
                    step("tutti", problem, name);
                    const std::vector<Point> points = runner.measure(problem, name);
                    own_.push_back(points.front());
                    if (name == options_.algorithms.front()) {
                        others_.insert(others_.end(), points.begin() + 1, points.end());
                    }
                }
            }
        }
    }

    /// A peer with threads of its own.
    void measure_apart(const std::string& name, const std::vector<Problem>& problems) {
        TuttiRunner runner(runner_options(problems.front().members, {name}));
        for (const Problem& problem : problems) {
            step(name, problem, "");
            const std::vector<Point> points = runner.measure_peers(problem);
            others_.insert(others_.end(), points.begin(), points.end());
        }
    }

    void measure_mpi(const std::string& name, const std::vector<Problem>& problems) {
        const int members = problems.front().members;
        const MeasurementRequest request{.provider = name,
                                         .problems = problems,
                                         .method = options_.method,
                                         .cpus = machine::place(environment_.machine, members,
                                                                machine::parse_placement(options_.placement)),
                                         .crowded = crowded(members),
                                         .results = {}};
        const BaselineResult result =
            run_mpi(request, [&](std::size_t index) { step(name, problems.at(index), ""); });
        others_.insert(others_.end(), result.points.begin(), result.points.end());
        if (!result.library.empty()) {
            environment_.peer_versions[name] = result.library;
        }
        if (!result.failure.empty()) {
            progress_.clear();
            fmt::print(out_, "note: baseline {} for {} members failed: {}\n", name, members, result.failure);
        }
    }

    /// Writes the present results: files also before the end, so that a run that is interrupted keeps what it
    /// has.
    void write_files(bool is_all) {
        std::vector<Point> all = own_;
        all.insert(all.end(), others_.begin(), others_.end());
        if (!options_.given.json.empty()) {
            write(options_.given.json, json_text(to_json(environment_), all, is_all), is_all);
        }
        farewell_.change(last_words(options_.given.json, all.size()));
        if (!options_.given.csv.empty()) {
            write(options_.given.csv, csv_text(all), is_all);
        }
        if (is_all && !options_.given.html.empty()) {
            const nlohmann::json environment = to_json(environment_);
            write(options_.given.html,
                  viewer::page_text({.results = {{"this measurement",
                                                  {.is_complete = is_all,
                                                   .environment = text_of(environment),
                                                   .circumstances = circumstances(environment),
                                                   .points = all}}},
                                     .profiles = {}}),
                  is_all);
        }
    }

    void write(const std::string& path, const std::string& text, bool is_all) const {
        if (!is_stdout(path)) {
            replace_file(path, text);
        } else if (is_all) {
            write_output(path, text);
        }
        if (is_all && !is_stdout(path)) {
            fmt::print(out_, "wrote {}\n", path);
        }
    }

    const BenchOptions& options_;
    std::FILE* out_;
    Environment environment_;
    std::vector<std::string> baselines_;
    TimeLeft time_left_;
    Progress progress_;
    std::vector<Point> own_;
    std::vector<Point> others_;
    Farewell farewell_;
};

/// Checks that a team would only make when the first is created: CPUs, and variables of the environment.
void check_team(const BenchOptions& options) {
    const machine::Machine machine = machine::detect();
    for (const int members : options.members) {
        as_asked("--placement: ", [&] {
            return machine::place(machine, members, machine::parse_placement(options.placement));
        });
    }
    try {
        const Team team(1, {.placement = "none"});
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

} // namespace

int run_bench(const BenchOptions& options) {
    check_writable("--json", options.given.json);
    check_writable("--csv", options.given.csv);
    check_writable("--html", options.given.html);
    check_algorithms(options);
    check_memory(options);
    fmt::print(stderr, "{}", wrapped(left_out_text(options), width_of(stderr)));
    try {
        check_team(options);
        return Bench(options).run();
    } catch (const ArgumentError& error) {
        throw UsageError(error.what());
    } catch (const std::bad_alloc&) {
        throw EnvironmentUnfit(
            "not enough memory for the vectors; choose a smaller --end or fewer --members");
    }
}

} // namespace tutti::bench
