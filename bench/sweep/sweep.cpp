#include "sweep/sweep.hpp"

#include "algorithm/registry.hpp"
#include "machine/placement.hpp"
#include "mpirun/mpi_baseline.hpp"
#include "peers/peer.hpp"
#include "report/bench_report.hpp"
#include "report/comparison.hpp"
#include "report/results_file.hpp"
#include "sweep/coverage.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"
#include "threads/tutti_calls.hpp"
#include "threads/tutti_runner.hpp"

#include <tutti/error.hpp>
#include <tutti/team.hpp>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace tutti::bench {

namespace {

/// Minutes of measuring should not end with an algorithm that is rejected.
void check_algorithms(const BenchOptions& options) {
    for (const int members : options.members) {
        for (const Problem& problem : problems_for(options, members)) {
            for (const std::string& name : options.algorithms) {
                if (!name.empty() && applies(options, name, problem)) {
                    check_algorithm(name, problem);
                }
            }
        }
    }
}

bool is_mpi(const std::string& name) {
    return std::ranges::count(mpi_names(), name) > 0;
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

/// One measurement under way.
class Sweep {
public:
    Sweep(const BenchOptions& options, const PageText& page_text)
        : options_(options), page_text_(page_text),
          out_(text_stream(std::array{options.given.json, options.given.html})),
          environment_(environment_of(options)), baselines_(available(options.baselines, out_)),
          method_(options.method), progress_(steps(), !options.given.points.quiet) {
        if (options.given.within > 0) {
            method_.limits.until_ns = now_ns() + static_cast<std::int64_t>(options.given.within * 1e9);
        }
    }

    int run() {
        fmt::print(out_, "{}", header_text(environment_, width_of(out_)));
        flush(out_);
        if (options_.given.within > 0) {
            measure_within();
        } else {
            for (const int members : options_.members) {
                measure_members(members);
            }
        }
        progress_.clear();
        fmt::print(out_, "\n{}", summary_text(own_, others_, width_of(out_)));
        write_files(true);
        return std::ranges::any_of(own_, [](const Point& point) { return point.wrong != 0; }) ? exit_wrong
                                                                                              : exit_fine;
    }

private:
    /// Of all rounds.
    std::size_t steps() const {
        const auto apart = static_cast<std::size_t>(std::ranges::count_if(baselines_, is_measured_apart));
        std::size_t steps = 0;
        for (const int members : options_.members) {
            for (const Problem& problem : problems_for(options_, members)) {
                steps += apart + static_cast<std::size_t>(
                                     std::ranges::count_if(options_.algorithms, [&](const std::string& name) {
                                         return applies(options_, name, problem);
                                     }));
            }
        }
        return steps * static_cast<std::size_t>(options_.given.rounds);
    }

    int cpus_of(int members) const { return cpus_under(environment_.machine, members, options_.placement); }

    bool crowded(int members) const { return members > cpus_of(members); }

    void step(const std::string& provider, const Problem& problem, const std::string& algorithm) {
        progress_.step(
            fmt::format("{}, {} members, {}", provider, problem.members, to_string(problem.collective)),
            fmt::format("{} {}", format_bytes(problem.bytes()), algorithm));
    }

    RunnerOptions runner_options(int members, const std::vector<std::string>& peers) const {
        return {.members = members,
                .placement = options_.placement,
                .crowded = crowded(members),
                .most_bytes = most_bytes(problems_for(options_, members)),
                .method = method_,
                .peers = peers,
                .callings = options_.callings,
                .levels = options_.given.levels};
    }

    std::unique_ptr<TuttiRunner> runner_for(int members) const {
        std::vector<std::string> in_turns;
        std::ranges::copy_if(baselines_, std::back_inserter(in_turns),
                             [](const std::string& name) { return !is_measured_apart(name); });
        return std::make_unique<TuttiRunner>(runner_options(members, in_turns));
    }

    void measure_members(int members) {
        const std::vector<Problem> problems = problems_for(options_, members);
        const std::size_t own_before = own_.size();
        const std::size_t others_before = others_.size();
        const auto runner = runner_for(members);
        environment_.pinning.emplace_back(members, runner->pinning());
        // One collective after the other, so that those apart are measured soon after; in several rounds,
        // since a machine that is shared changes from one second to the next.
        for (const Collective collective : options_.collectives) {
            std::vector<Problem> part;
            std::ranges::copy_if(problems, std::back_inserter(part),
                                 [&](const Problem& problem) { return problem.collective == collective; });
            const std::size_t own_of_part = own_.size();
            const std::size_t others_of_part = others_.size();
            for (int round = 0; round < options_.given.rounds; ++round) {
                measure_in_turns(*runner, part);
                measure_apart(part);
            }
            pool_from(own_of_part, own_);
            pool_from(others_of_part, others_);
            write_files(false);
        }
        print_table(members, own_before, others_before);
    }

    /// Each round has all points, so that one round is a whole.
    void measure_within() {
        for (int round = 0; round < options_.given.rounds && !method_.limits.is_over(); ++round) {
            for (const int members : options_.members) {
                const std::vector<Problem> problems = problems_for(options_, members);
                share_time();
                const auto runner = runner_for(members);
                if (round == 0) {
                    environment_.pinning.emplace_back(members, runner->pinning());
                }
                measure_in_turns(*runner, problems);
                if (round == 0 && members == options_.members.front()) {
                    fmt::print(out_, "\nfirst results\n");
                    print_table(members, 0, 0);
                }
                measure_apart(problems);
                pool_from(0, own_);
                pool_from(0, others_);
                write_files(false);
            }
        }
        progress_.clear();
        for (const int members : options_.members) {
            print_table(members, 0, 0);
        }
        if (method_.limits.is_over() && progress_.left() > 0) {
            fmt::print(out_, "left out for lack of time: {} of {} measurements\n", progress_.left(), steps());
        }
    }

    /// Baselines in turns, floors, checks, first calls and starts of processes take three times as long as
    /// the runs of Tutti that are timed.
    void share_time() {
        const double seconds = static_cast<double>(method_.limits.until_ns - now_ns()) / 1e9;
        method_.limits.seconds = std::clamp(seconds / (4 * static_cast<double>(progress_.left())), 0.0,
                                            options_.method.limits.seconds);
    }

    void print_table(int members, std::size_t own_from, std::size_t others_from) {
        progress_.clear();
        const std::vector<Point> own = of_members(std::span(own_).subspan(own_from), members);
        const std::vector<Point> others = of_members(std::span(others_).subspan(others_from), members);
        if (!options_.given.points.quiet && !has_legend_) {
            fmt::print(out_, "\n{}", legend_text(own, others, options_.callings, width_of(out_)));
            has_legend_ = true;
        }
        fmt::print(out_, "\n{}", table_text(own, others, width_of(out_)));
        flush(out_);
    }

    void measure_apart(const std::vector<Problem>& problems) {
        for (const std::string& name : baselines_) {
            if (method_.limits.is_over()) {
                return;
            }
            if (is_mpi(name)) {
                measure_mpi(name, problems);
            } else if (is_measured_apart(name)) {
                measure_alone(name, problems);
            }
        }
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
                if (applies(options_, name, problem) && !method_.limits.is_over()) {
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
    void measure_alone(const std::string& name, const std::vector<Problem>& problems) {
        TuttiRunner runner(runner_options(problems.front().members, {name}));
        for (const Problem& problem : problems) {
            if (method_.limits.is_over()) {
                return;
            }
            step(name, problem, "");
            const std::vector<Point> points = runner.measure(problem, std::nullopt);
            others_.insert(others_.end(), points.begin(), points.end());
        }
    }

    void measure_mpi(const std::string& name, const std::vector<Problem>& problems) {
        const int members = problems.front().members;
        const MeasurementRequest request{.provider = name,
                                         .problems = problems,
                                         .method = method_,
                                         .cpus = machine::place(environment_.machine, members,
                                                                machine::parse_placement(options_.placement)),
                                         .crowded = crowded(members),
                                         .results = {}};
        const BaselineResult result =
            run_mpi(request, [&](std::size_t index) { step(name, problems.at(index), ""); });
        others_.insert(others_.end(), result.points.begin(), result.points.end());
        environment_.launches[fmt::format("{}, {} members", name, members)] = result.launch;
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
        if (is_all && !options_.given.html.empty()) {
            write(options_.given.html, page_text_(environment_, all, is_all), is_all);
        }
    }

    void write(const std::string& path, const std::string& text, bool is_all) const {
        if (!is_stdout(path)) {
            replace_file(path, text);
        }
        if (is_all) {
            is_stdout(path) ? write_output(path, text) : fmt::print(out_, "wrote {}\n", path);
        }
    }

    const BenchOptions& options_;
    const PageText& page_text_;
    std::FILE* out_;
    Environment environment_;
    std::vector<std::string> baselines_;
    /// Of the options; if time is limited, its limits change.
    Method method_;
    Progress progress_;
    bool has_legend_ = false;
    std::vector<Point> own_;
    std::vector<Point> others_;
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
        const Team team(1, {.placement = Placement::none});
    } catch (const Error& error) {
        throw UsageError(error.what());
    }
}

} // namespace

int run_sweep(const BenchOptions& options, const PageText& page_text) {
    check_writable("--json", options.given.json);
    check_writable("--html", options.given.html);
    check_algorithms(options);
    check_memory(options);
    fmt::print(stderr, "{}", wrapped(left_out_text(options), width_of(stderr)));
    try {
        check_team(options);
        return Sweep(options, page_text).run();
    } catch (const std::bad_alloc&) {
        throw EnvironmentUnfit(
            "not enough memory for the vectors; choose a smaller --end or fewer --members");
    }
}

} // namespace tutti::bench
